/* One solve by SUNDIALS IDA of a problem whose functions the caller supplies.
 *
 * In: residual and iteration matrix F_y + c F_y' as callbacks, the matrix as compressed rows; tolerances, which unknowns are differential,
 * times at which to start anew. Out: the state at the end, and counts. */

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <string.h>
#include <time.h>

typedef void (*residual_fn)(void *, double, const double *, const double *, double *);
typedef void (*matrix_fn)(void *, double, double, const double *, const double *, double *);

struct problem {
    void *context;
    residual_fn residual;
    matrix_fn matrix;
    long n, entries;
    const long *row_starts, *columns;
    double *values; /* scratch of the dense matrix */
};

struct options {
    int sparse;
    double rtol;
    const double *atol, *differential;
    double t0;
    const double *ends; /* ascending; the last one is the end */
    long count;
    double first_step; /* 0: IDA's own */
    int index_one;
};

struct counts {
    long steps, residuals, jacobians, rejected;
};

static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void *data)
{
    struct problem *p = data;
    double *out = N_VGetArrayPointer(r);
    p->residual(p->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), out);
    for (long i = 0; i < p->n; i++)
        if (!isfinite(out[i]))
            return 1;
    return 0;
}

static int matrix(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix a, void *data, N_Vector w1,
                  N_Vector w2, N_Vector w3)
{
    struct problem *p = data;
    const double *at = N_VGetArrayPointer(y), *slope = N_VGetArrayPointer(yp);
    (void)r, (void)w1, (void)w2, (void)w3;
    if (SUNMatGetID(a) == SUNMATRIX_SPARSE) {
        sunindextype *starts = SUNSparseMatrix_IndexPointers(a), *columns = SUNSparseMatrix_IndexValues(a);
        for (long i = 0; i <= p->n; i++)
            starts[i] = p->row_starts[i];
        for (long k = 0; k < p->entries; k++)
            columns[k] = p->columns[k];
        p->matrix(p->context, t, c, at, slope, SUNSparseMatrix_Data(a));
        return 0;
    }
    p->matrix(p->context, t, c, at, slope, p->values);
    SUNMatZero(a);
    double *data_of_a = SUNDenseMatrix_Data(a);
    for (long i = 0; i < p->n; i++)
        for (long k = p->row_starts[i]; k < p->row_starts[i + 1]; k++)
            data_of_a[p->columns[k] * p->n + i] = p->values[k];
    return 0;
}

static SUNContext quiet_context(void)
{
    SUNContext context;
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &context);
    SUNContext_ClearErrHandlers(context);
#else
    SUNContext_Create(NULL, &context);
#endif
    return context;
}

static N_Vector vector(const double *values, long n, SUNContext context)
{
    N_Vector v = N_VNew_Serial(n, context);
    memcpy(N_VGetArrayPointer(v), values, n * sizeof(double));
    return v;
}

static SUNMatrix empty_matrix(const struct problem *p, int sparse, SUNContext context)
{
    return sparse ? SUNSparseMatrix(p->n, p->n, p->entries, CSR_MAT, context) : SUNDenseMatrix(p->n, p->n, context);
}

static SUNLinearSolver linear_solver(SUNMatrix a, N_Vector y, SUNContext context)
{
    return SUNMatGetID(a) == SUNMATRIX_SPARSE ? SUNLinSol_KLU(y, a, context) : SUNLinSol_Dense(y, a, context);
}

int ida_solve(struct problem *p, const struct options *o, double *y0, double *yp0, struct counts *counts)
{
    SUNContext context = quiet_context();
    N_Vector y = vector(y0, p->n, context), yp = vector(yp0, p->n, context);
    N_Vector id = vector(o->differential, p->n, context), atol = vector(o->atol, p->n, context);
    void *memory = IDACreate(context);
#if SUNDIALS_VERSION_MAJOR < 7
    IDASetErrFile(memory, NULL);
#endif
    IDAInit(memory, residual, o->t0, y, yp);
    IDASVtolerances(memory, o->rtol, atol);
    IDASetUserData(memory, p);
    IDASetId(memory, id);
    IDASetSuppressAlg(memory, 1);
    IDASetMaxNumSteps(memory, 200000);
    if (o->first_step > 0)
        IDASetInitStep(memory, o->first_step);
    SUNMatrix a = empty_matrix(p, o->sparse, context);
    SUNLinearSolver solver = linear_solver(a, y, context);
    IDASetLinearSolver(memory, solver, a);
    IDASetJacFn(memory, matrix);
    int flag = 0;
    double t = o->t0;
    memset(counts, 0, sizeof *counts);
    for (long k = 0; k < o->count && flag >= 0; k++) {
        if (k > 0) {
            IDAReInit(memory, t, y, yp);
            if (o->first_step > 0)
                IDASetInitStep(memory, o->first_step);
        }
        if (o->index_one && o->count > 1) {
            IDACalcIC(memory, IDA_YA_YDP_INIT, t + 1e-3 * (o->ends[k] - t));
            IDAGetConsistentIC(memory, y, yp);
        }
        double reached;
        IDASetStopTime(memory, o->ends[k]);
        flag = IDASolve(memory, o->ends[k], &reached, y, yp, IDA_NORMAL);
        t = o->ends[k];
        long count;
        IDAGetNumSteps(memory, &count), counts->steps += count;
        IDAGetNumResEvals(memory, &count), counts->residuals += count;
        IDAGetNumJacEvals(memory, &count), counts->jacobians += count;
        IDAGetNumErrTestFails(memory, &count), counts->rejected += count;
        IDAGetNumNonlinSolvConvFails(memory, &count), counts->rejected += count;
    }
    memcpy(y0, N_VGetArrayPointer(y), p->n * sizeof(double));
    memcpy(yp0, N_VGetArrayPointer(yp), p->n * sizeof(double));
    IDAFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(a);
    N_VDestroy(y), N_VDestroy(yp), N_VDestroy(id), N_VDestroy(atol);
    SUNContext_Free(&context);
    return flag < 0 ? flag : 0;
}

/* Seconds per factorisation of one matrix and solve with it, as IDA does both for every new matrix. */
double ida_factor_and_solve(struct problem *p, int sparse, double t, double c, const double *y0, const double *yp0)
{
    SUNContext context = quiet_context();
    N_Vector y = vector(y0, p->n, context), yp = vector(yp0, p->n, context);
    N_Vector b = N_VNew_Serial(p->n, context), x = N_VNew_Serial(p->n, context);
    N_VConst(1.0, b);
    SUNMatrix a = empty_matrix(p, sparse, context), copy = SUNMatClone(a);
    SUNLinearSolver solver = linear_solver(a, y, context);
    SUNLinSolInitialize(solver);
    matrix(t, c, y, yp, NULL, copy, p, NULL, NULL, NULL);
    double best = 1e300;
    for (int batch = 0; batch < 7; batch++) {
        struct timespec begin, end;
        long calls = 0;
        double seconds;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do {
            SUNMatCopy(copy, a);
            SUNLinSolSetup(solver, a);
            SUNLinSolSolve(solver, a, x, b, 0);
            calls++;
            clock_gettime(CLOCK_MONOTONIC, &end);
            seconds = end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec);
        } while (seconds < 2e-3);
        if (seconds / calls < best)
            best = seconds / calls;
    }
    SUNLinSolFree(solver);
    SUNMatDestroy(a), SUNMatDestroy(copy);
    N_VDestroy(y), N_VDestroy(yp), N_VDestroy(b), N_VDestroy(x);
    SUNContext_Free(&context);
    return best;
}
