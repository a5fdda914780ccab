//! Index analysis. (tmp)
