//! Coefficients of explicit Runge–Kutta methods.
//!
//! In: nothing. Out: tables, with zeros left out; stages are counted from 0, and after the $s$ stages of the method
//! comes the derivative at the end of the step, after that the stages of dense output.
//!
//! Sources: J. R. Dormand, P. J. Prince, *A family of embedded Runge–Kutta formulae*, J. Comput. Appl. Math. 6 (1980);
//! Hairer, Nørsett & Wanner, *Solving Ordinary Differential Equations I*, 2nd edition, table II.5.2, formulas (II.6.12)
//! ff. and the programs DOPRI5 and DOP853 there.

/// A linear combination of slopes: stage and coefficient.
pub(crate) type Combination = &'static [(usize, f64)];

/// An explicit Runge–Kutta method.
#[derive(Debug)]
pub(crate) struct Tableau {
    /// Name in messages.
    pub(crate) name: &'static str,
    /// Order of convergence.
    pub(in crate::methods) order: usize,
    /// Nodes of the stages.
    pub(in crate::methods) c: &'static [f64],
    /// The rows of $A$ for the stages after the first.
    pub(in crate::methods) a: &'static [Combination],
    /// Weights of the stages.
    pub(in crate::methods) b: Combination,
    /// How the error of a step is estimated.
    pub(in crate::methods) error: Estimate,
    /// Nodes and rows of the stages that only dense output needs.
    pub(in crate::methods) c_of_output: &'static [f64],
    pub(in crate::methods) a_of_output: &'static [Combination],
    /// Coefficients of dense output beyond the cubic through both ends, divided by $h$; see [`Tableau::degree`].
    pub(in crate::methods) output: &'static [Combination],
    /// Control of the step size.
    pub(in crate::methods) control: Control,
}

/// An estimate of the error of a step, divided by $h$.
#[derive(Debug)]
pub(in crate::methods) enum Estimate {
    /// The difference from an embedded method.
    Embedded(Combination),
    /// With the differences $e_5$ and $e_3$ from two embedded methods,
    /// $e_5 \lVert e_5 \rVert / \sqrt{\lVert e_5 \rVert^2 + 0.01 \lVert e_3 \rVert^2}$ (Hairer, Nørsett & Wanner I,
    /// (II.10.17)), which is of order 7.
    Combined { fifth: Combination, third: Combination },
}

/// Constants of the controller $h\, f\, \mathrm{err}_n^{-\alpha}\, \mathrm{err}_{n-1}^{\beta}$ (Gustafsson; Hairer &
/// Wanner II, section IV.2).
#[derive(Debug)]
pub(in crate::methods) struct Control {
    pub(in crate::methods) alpha: f64,
    pub(in crate::methods) beta: f64,
    /// Bounds on the ratio of successive lengths.
    pub(in crate::methods) range: (f64, f64),
}

impl Tableau {
    /// The number of stages of the method.
    pub(in crate::methods) fn stages(&self) -> usize {
        self.c.len()
    }

    /// The degree of dense output. With $\theta$ the time from the start of the step in units of its length, and
    /// $\bar\theta = 1 - \theta$, it is $r_0 + \theta (r_1 + \bar\theta (r_2 + \theta (r_3 + \dots)))$; $r_0$ to $r_3$
    /// follow from states and derivatives at both ends, and `output` has the others.
    pub(in crate::methods) fn degree(&self) -> usize {
        3 + self.output.len()
    }
}

/// The explicit Euler method; the error estimate is the difference from the trapezoidal rule.
pub(crate) static EULER: Tableau = Tableau {
    name: "the explicit Euler method",
    order: 1,
    c: &[0.0],
    a: &[],
    b: &[(0, 1.0)],
    error: Estimate::Embedded(&[(0, -0.5), (1, 0.5)]),
    c_of_output: &[],
    a_of_output: &[],
    output: &[],
    control: Control { alpha: 1.0 / 2.0, beta: 0.0, range: (0.2, 10.0) },
};

/// Dormand and Prince's method of order 5.
pub(crate) static DOPRI5: Tableau = Tableau {
    name: "DOPRI5",
    order: 5,
    c: &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0],
    a: &[
        &[(0, 1.0 / 5.0)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)],
        &[(0, 19372.0 / 6561.0), (1, -25360.0 / 2187.0), (2, 64448.0 / 6561.0), (3, -212.0 / 729.0)],
        &[(0, 9017.0 / 3168.0), (1, -355.0 / 33.0), (2, 46732.0 / 5247.0), (3, 49.0 / 176.0), (4, -5103.0 / 18656.0)],
    ],
    b: &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)],
    error: Estimate::Embedded(&[
        (0, 71.0 / 57600.0),
        (2, -71.0 / 16695.0),
        (3, 71.0 / 1920.0),
        (4, -17253.0 / 339_200.0),
        (5, 22.0 / 525.0),
        (6, -1.0 / 40.0),
    ]),
    c_of_output: &[],
    a_of_output: &[],
    output: &[&[
        (0, -12_715_105_075.0 / 11_282_082_432.0),
        (2, 87_487_479_700.0 / 32_700_410_799.0),
        (3, -10_690_763_975.0 / 1_880_347_072.0),
        (4, 701_980_252_875.0 / 199_316_789_632.0),
        (5, -1_453_857_185.0 / 822_651_844.0),
        (6, 69_997_945.0 / 29_380_423.0),
    ]],
    control: Control { alpha: 1.0 / 5.0 - 0.75 * 0.04, beta: 0.04, range: (0.2, 10.0) },
};

/// Dormand and Prince's method of order 8.
pub(crate) static DOP853: Tableau = Tableau {
    name: "DOP853",
    order: 8,
    c: &[
        0.0,
        0.052_600_151_958_767_73,
        0.078_900_227_938_151_6,
        0.118_350_341_907_227_4,
        0.281_649_658_092_772_6,
        0.333_333_333_333_333_3,
        0.25,
        0.307_692_307_692_307_7,
        0.651_282_051_282_051_3,
        0.6,
        0.857_142_857_142_857_1,
        1.0,
    ],
    a: &[
        &[(0, 0.052_600_151_958_767_73)],
        &[(0, 0.019_725_056_984_537_9), (1, 0.059_175_170_953_613_7)],
        &[(0, 0.029_587_585_476_806_85), (2, 0.088_762_756_430_420_54)],
        &[(0, 0.241_365_134_159_266_7), (2, -0.884_549_479_328_286_1), (3, 0.924_834_003_261_792)],
        &[(0, 0.037_037_037_037_037_035), (3, 0.170_828_608_729_473_86), (4, 0.125_467_687_566_822_42)],
        &[(0, 0.037_109_375), (3, 0.170_252_211_019_544_05), (4, 0.060_216_538_980_455_96), (5, -0.017_578_125)],
        &[
            (0, 0.037_092_000_118_504_79),
            (3, 0.170_383_925_712_239_98),
            (4, 0.107_262_030_446_373_28),
            (5, -0.015_319_437_748_624_402),
            (6, 0.008_273_789_163_814_023),
        ],
        &[
            (0, 0.624_110_958_716_075_7),
            (3, -3.360_892_629_446_941_4),
            (4, -0.868_219_346_841_726),
            (5, 27.592_099_699_446_71),
            (6, 20.154_067_550_477_894),
            (7, -43.489_884_181_069_96),
        ],
        &[
            (0, 0.477_662_536_438_264_34),
            (3, -2.488_114_619_971_667_7),
            (4, -0.590_290_826_836_843),
            (5, 21.230_051_448_181_193),
            (6, 15.279_233_632_882_423),
            (7, -33.288_210_968_984_86),
            (8, -0.020_331_201_708_508_627),
        ],
        &[
            (0, -0.937_142_430_085_987_3),
            (3, 5.186_372_428_844_064),
            (4, 1.091_437_348_996_729_5),
            (5, -8.149_787_010_746_927),
            (6, -18.520_065_659_996_96),
            (7, 22.739_487_099_350_505),
            (8, 2.493_605_552_679_652_3),
            (9, -3.046_764_471_898_219_6),
        ],
        &[
            (0, 2.273_310_147_516_538),
            (3, -10.534_495_466_737_25),
            (4, -2.000_872_058_224_862_5),
            (5, -17.958_931_863_118_8),
            (6, 27.948_884_529_419_96),
            (7, -2.858_998_277_135_023_5),
            (8, -8.872_856_933_530_63),
            (9, 12.360_567_175_794_303),
            (10, 0.643_392_746_015_763_6),
        ],
    ],
    b: &[
        (0, 0.054_293_734_116_568_765),
        (5, 4.450_312_892_752_409),
        (6, 1.891_517_899_314_500_3),
        (7, -5.801_203_960_010_585),
        (8, 0.311_164_366_957_819_9),
        (9, -0.152_160_949_662_516_1),
        (10, 0.201_365_400_804_030_34),
        (11, 0.044_710_615_727_772_59),
    ],
    error: Estimate::Combined {
        fifth: &[
            (0, 0.013_120_044_994_194_88),
            (5, -1.225_156_446_376_204_4),
            (6, -0.495_758_949_657_250_2),
            (7, 1.664_377_182_454_986_4),
            (8, -0.350_328_848_749_973_66),
            (9, 0.334_179_118_713_017_5),
            (10, 0.081_923_206_485_115_71),
            (11, -0.022_355_307_863_886_294),
        ],
        third: &[
            (0, -0.189_800_754_072_407_62),
            (5, 4.450_312_892_752_409),
            (6, 1.891_517_899_314_500_3),
            (7, -5.801_203_960_010_585),
            (8, -0.422_682_321_323_791_9),
            (9, -0.152_160_949_662_516_1),
            (10, 0.201_365_400_804_030_34),
            (11, 0.022_651_792_198_360_82),
        ],
    },
    c_of_output: &[0.1, 0.2, 0.777_777_777_777_777_8],
    a_of_output: &[
        &[
            (0, 0.056_167_502_283_047_954),
            (6, 0.253_500_210_216_624_83),
            (7, -0.246_239_037_470_802_5),
            (8, -0.124_191_423_263_816_37),
            (9, 0.153_291_798_278_765_68),
            (10, 0.008_201_052_295_634_69),
            (11, 0.007_567_897_660_545_699),
            (12, -0.008_298),
        ],
        &[
            (0, 0.031_834_648_163_502_14),
            (5, 0.028_300_909_672_366_776),
            (6, 0.053_541_988_307_438_566),
            (7, -0.054_923_748_571_390_99),
            (10, -0.000_108_347_328_697_249_32),
            (11, 0.000_382_571_090_835_658_4),
            (12, -0.000_340_465_008_687_404_56),
            (13, 0.141_312_443_674_632_5),
        ],
        &[
            (0, -0.428_896_301_583_791_94),
            (5, -4.697_621_415_361_164),
            (6, 7.683_421_196_062_599),
            (7, 4.068_989_818_397_11),
            (8, 0.356_727_187_455_281_1),
            (12, -0.001_399_024_165_159_014_5),
            (13, 2.947_514_789_152_772_4),
            (14, -9.150_958_472_179_87),
        ],
    ],
    output: &[
        &[
            (0, -8.428_938_276_109_013),
            (5, 0.566_714_953_519_377_7),
            (6, -3.068_949_945_949_891_7),
            (7, 2.384_667_656_512_07),
            (8, 2.117_034_582_445_028),
            (9, -0.871_391_583_777_973),
            (10, 2.240_437_430_260_788_3),
            (11, 0.631_578_778_769_468_8),
            (12, -0.088_990_336_451_333_31),
            (13, 18.148_505_520_854_727),
            (14, -9.194_632_392_478_356),
            (15, -4.436_036_387_594_894),
        ],
        &[
            (0, 10.427_508_642_579_134),
            (5, 242.283_491_775_258_17),
            (6, 165.200_451_717_270_28),
            (7, -374.546_754_722_690_2),
            (8, -22.113_666_853_125_306),
            (9, 7.733_432_668_472_264),
            (10, -30.674_084_731_089_398),
            (11, -9.332_130_526_430_229),
            (12, 15.697_238_121_770_845),
            (13, -31.139_403_219_565_178),
            (14, -9.352_924_358_844_48),
            (15, 35.816_841_486_394_08),
        ],
        &[
            (0, 19.985_053_242_002_433),
            (5, -387.037_308_749_351_8),
            (6, -189.178_138_195_167_58),
            (7, 527.808_159_205_423_6),
            (8, -11.573_902_539_959_63),
            (9, 6.881_232_694_696_3),
            (10, -1.000_605_096_691_083_8),
            (11, 0.777_713_779_805_344_3),
            (12, -2.778_205_752_353_508),
            (13, -60.196_695_231_264_12),
            (14, 84.320_405_506_677_16),
            (15, 11.992_291_136_182_79),
        ],
        &[
            (0, -25.693_933_462_703_75),
            (5, -154.189_748_690_236_43),
            (6, -231.529_379_176_045_5),
            (7, 357.639_117_910_614_1),
            (8, 93.405_324_183_624_32),
            (9, -37.458_323_136_451_63),
            (10, 104.099_649_508_962_3),
            (11, 29.840_293_426_660_5),
            (12, -43.533_456_590_011_14),
            (13, 96.324_553_959_188_28),
            (14, -39.177_261_675_615_44),
            (15, -149.726_836_257_985_64),
        ],
    ],
    control: Control { alpha: 1.0 / 8.0, beta: 0.0, range: (0.333, 6.0) },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(row: Combination, factor: impl Fn(usize) -> f64) -> f64 {
        row.iter().map(|&(stage, coefficient)| coefficient * factor(stage)).sum()
    }

    #[test]
    fn tables_satisfy_the_conditions_that_are_easy_to_state() {
        for it in [&EULER, &DOPRI5, &DOP853] {
            let nodes: Vec<f64> = it.c.iter().chain(&[1.0]).chain(it.c_of_output).copied().collect();
            // Rows add up to the nodes.
            let rows = it.a.iter().zip(&it.c[1..]).chain(it.a_of_output.iter().zip(it.c_of_output));
            for (row, node) in rows {
                assert!((sum(row, |_| 1.0) - node).abs() < 1e-14, "{} {node}", it.name);
            }
            // Quadrature of the order of the method; the estimates are zero for polynomials of low degree.
            for power in 0..it.order {
                let exact = 1.0 / (power + 1) as f64;
                assert!(
                    (sum(it.b, |stage| nodes[stage].powi(power as i32)) - exact).abs() < 1e-14,
                    "{} {power}",
                    it.name
                );
            }
            let (estimates, exact): (Vec<Combination>, usize) = match it.error {
                Estimate::Embedded(row) => (vec![row], if it.order == 1 { 1 } else { 4 }),
                Estimate::Combined { fifth, third } => (vec![fifth, third], 3),
            };
            for (row, power) in estimates.iter().flat_map(|row| (0..exact).map(move |power| (row, power))) {
                assert!(sum(row, |stage| nodes[stage].powi(power as i32)).abs() < 1e-14, "{} {power}", it.name);
            }
            // Dense output reproduces powers of the time up to its degree: beyond the cubic, the remainder of
            // theta^k is a polynomial times theta^2 (1 - theta)^2.
            for row in it.output {
                for power in 0..3 {
                    assert!(sum(row, |stage| nodes[stage].powi(power)).abs() < 1e-12, "{} {power}", it.name);
                }
            }
        }
    }
}
