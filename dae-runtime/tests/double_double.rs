//! Numbers with 106 bits.
//!
//! In: values of elementary functions to 38 digits, by mpmath 1.3 with 60 digits. Out: those of [`DoubleDouble`] agree to
//! 30 digits, arithmetic keeps 106 bits, and decimal digits are read and printed.

use dae_runtime::taylor::DoubleDouble;

/// Function, argument, value.
#[rustfmt::skip]
const VALUES: &[(&str, &str, &str)] = &[
    ("sqrt", "2", "1.4142135623730950488016887242096980786"),
    ("sqrt", "0.3", "5.4772255750516611345696978280080213395e-1"),
    ("sqrt", "1e-20", "1.0e-10"),
    ("sqrt", "123456.789", "3.5136418286444621616658231167580770372e+2"),
    ("cbrt", "2", "1.2599210498948731647672106072782283506"),
    ("cbrt", "-0.3", "-6.694329500821695218826593246399307933e-1"),
    ("cbrt", "1e-20", "2.1544346900318837217592935665193504953e-7"),
    ("cbrt", "123456.789", "4.9793385921817447440261250171604380899e+1"),
    ("exp", "1", "2.7182818284590452353602874713526624978"),
    ("exp", "-0.3", "7.4081822068171786606687377931781687218e-1"),
    ("exp", "1e-20", "1.00000000000000000001"),
    ("exp", "50.5", "8.5481342872980576922579169089216848418e+21"),
    ("exp", "-700", "9.8596765437597708567053729478494651051e-305"),
    ("exp", "300", "1.9424263952412559365842088360176992194e+130"),
    ("exp_m1", "1", "1.7182818284590452353602874713526624978"),
    ("exp_m1", "-0.3", "-2.5918177931828213393312622068218312782e-1"),
    ("exp_m1", "1e-20", "1.000000000000000000005e-20"),
    ("exp_m1", "5.5", "2.4369193226422038791518894951183935018e+2"),
    ("exp_m1", "-0.001", "-9.9950016662500833194464283234402529764e-4"),
    ("ln", "2", "6.9314718055994530941723212145817656808e-1"),
    ("ln", "0.3", "-1.203972804325935992622746217761838503"),
    ("ln", "1e-20", "-4.6051701859880913680359829093687284152e+1"),
    ("ln", "1.05", "4.8790164169432003065374404223164658608e-2"),
    ("ln", "0.99", "-1.0050335853501441183548857558547706086e-2"),
    ("ln", "123456.789", "1.1723646487185880981139958983910111587e+1"),
    ("ln_1p", "1", "6.9314718055994530941723212145817656808e-1"),
    ("ln_1p", "-0.3", "-3.5667494393873237891263871124118447796e-1"),
    ("ln_1p", "1e-20", "9.99999999999999999995e-21"),
    ("ln_1p", "0.05", "4.8790164169432003065374404223164658608e-2"),
    ("ln_1p", "5.5", "1.8718021769015914266362553201071420367"),
    ("sin", "1", "8.4147098480789650665250232163029899962e-1"),
    ("sin", "-0.3", "-2.9552020666133957510532074568502737368e-1"),
    ("sin", "1e-20", "1.0e-20"),
    ("sin", "2.5", "5.984721441039564940518547021861622717e-1"),
    ("sin", "4", "-7.5680249530792825137263909451182909414e-1"),
    ("sin", "1000", "8.2687954053200256025588742910921814121e-1"),
    ("sin", "-5.5", "7.0554032557039190623191917552207007885e-1"),
    ("cos", "1", "5.4030230586813971740093660744297660373e-1"),
    ("cos", "-0.3", "9.5533648912560601964231022756804989824e-1"),
    ("cos", "1e-20", "1.0"),
    ("cos", "2.5", "-8.0114361554693371483350279046735166443e-1"),
    ("cos", "4", "-6.5364362086361191463916818309775038142e-1"),
    ("cos", "1000", "5.6237907629070299107824922660539596876e-1"),
    ("cos", "-5.5", "7.0866977429126000002742118132584373499e-1"),
    ("asin", "0.5", "5.2359877559829887307710723054658381403e-1"),
    ("asin", "-0.3", "-3.0469265401539750797200296122752916695e-1"),
    ("asin", "1e-20", "1.0e-20"),
    ("asin", "0.999", "1.5260712396261631879816254589682003722"),
    ("acos", "0.5", "1.0471975511965977461542144610931676281"),
    ("acos", "-0.3", "1.8754889808102941272033246528672806091"),
    ("acos", "1e-20", "1.5707963267948966192213216916397514421"),
    ("acos", "0.999", "4.4725087168733431249696232671551069904e-2"),
    ("atan", "1", "7.8539816339744830961566084581987572105e-1"),
    ("atan", "-0.3", "-2.914567944778670919956046214328911935e-1"),
    ("atan", "1e-20", "1.0e-20"),
    ("atan", "1000", "1.5697963271282297525647978820048308981"),
    ("atan", "-7", "-1.4288992721907326964184700745371983591"),
    ("sinh", "1", "1.1752011936438014568823818505956008152"),
    ("sinh", "-0.3", "-3.045202934471426189584352670050952291e-1"),
    ("sinh", "1e-20", "1.0e-20"),
    ("sinh", "50.5", "4.2740671436490288461289584544608424209e+21"),
    ("sinh", "-0.001", "-1.0000001666666750000001984127011684304e-3"),
    ("cosh", "1", "1.5430806348152437784779056207570616826"),
    ("cosh", "-0.3", "1.0453385141288604850253090463229121013"),
    ("cosh", "1e-20", "1.0"),
    ("cosh", "50.5", "4.2740671436490288461289584544608424209e+21"),
    ("tanh", "1", "7.6159415595576488811945828260479359041e-1"),
    ("tanh", "-0.3", "-2.9131261245159090581822127282376592815e-1"),
    ("tanh", "1e-20", "1.0e-20"),
    ("tanh", "50.5", "1.0"),
    ("tanh", "-0.001", "-9.9999966666679999994603176790122570467e-4"),
    ("asinh", "1", "8.8137358701954302523260932497979230903e-1"),
    ("asinh", "-0.3", "-2.9567304756342243910271052973351708245e-1"),
    ("asinh", "1e-20", "1.0e-20"),
    ("asinh", "50.5", "4.6152185320346343186953899232191228602"),
    ("acosh", "1.5", "9.6242365011920689499551782684873684627e-1"),
    ("acosh", "1.0001", "1.414201777525232424406347484278800469e-2"),
    ("acosh", "50.5", "4.6150224728184726324927421146445209829"),
    ("atanh", "0.5", "5.4930614433405484569762261846126285232e-1"),
    ("atanh", "-0.3", "-3.0951960420311171547406734906106943758e-1"),
    ("atanh", "1e-20", "1.0e-20"),
    ("atanh", "0.999", "3.8002011672502000317759672678090044623"),
];

fn number(text: &str) -> DoubleDouble {
    text.parse().unwrap()
}

fn value(function: &str, a: DoubleDouble) -> DoubleDouble {
    match function {
        "sqrt" => a.sqrt(),
        "cbrt" => a.cbrt(),
        "exp" => a.exp(),
        "exp_m1" => a.exp_m1(),
        "ln" => a.ln(),
        "ln_1p" => a.ln_1p(),
        "sin" => a.sin_cos().0,
        "cos" => a.sin_cos().1,
        "asin" => a.asin(),
        "acos" => a.acos(),
        "atan" => a.atan(),
        "sinh" => a.sinh(),
        "cosh" => a.cosh(),
        "tanh" => a.tanh(),
        "asinh" => a.asinh(),
        "acosh" => a.acosh(),
        "atanh" => a.atanh(),
        _ => panic!("no function {function}"),
    }
}

#[test]
fn elementary_functions() {
    let mut seen = std::collections::BTreeSet::new();
    for &(function, argument, expected) in VALUES {
        let (found, expected) = (value(function, number(argument)), number(expected));
        let error = ((found - expected) / expected).abs().high();
        // The argument itself is rounded, which counts as many times as the function is steeper than its value.
        let a = number(argument).high();
        let condition = match function {
            "exp" | "sinh" | "cosh" => a.abs().max(1.0),
            "acosh" => (1.0 / (a - 1.0)).max(1.0),
            _ => 1.0,
        };
        assert!(error <= 1e-30 * condition, "{function}({argument}) = {found}, not {expected}: {error:e}");
        seen.insert(function);
    }
    assert_eq!(seen.len(), 17);
}

#[test]
fn arithmetic_keeps_106_bits() {
    let third = DoubleDouble::ONE / DoubleDouble::from(3.0);
    assert!((third.times(3.0) - DoubleDouble::ONE).abs().high() < 1e-31);
    // (1 + e)(1 - e) = 1 - e^2, where e^2 is far below the last bit of an f64.
    let e = DoubleDouble::from(2.0_f64.powi(-50));
    let product = (DoubleDouble::ONE + e) * (DoubleDouble::ONE - e) - DoubleDouble::ONE;
    assert_eq!(product.high(), -(2.0_f64.powi(-100)));
    let difference = DoubleDouble::PI - number("3.14159265358979323846264338327950288");
    assert!(difference.abs().high() < 1e-31);
    assert!((DoubleDouble::E.ln() - DoubleDouble::ONE).abs().high() < 1e-31);
    assert!((DoubleDouble::from(2.0).ln() - DoubleDouble::LN_2).abs().high() < 1e-31);
}

#[test]
fn angles_in_all_quadrants() {
    for (y, x) in [(1.0, 2.0), (1.0, -2.0), (-1.0, 2.0), (-1.0, -2.0), (1.0, 0.0), (0.0, -1.0)] {
        let (y, x) = (DoubleDouble::from(y), DoubleDouble::from(x));
        let angle = y.atan2(x);
        let (sine, cosine) = angle.sin_cos();
        let length = (x.squared() + y.squared()).sqrt();
        assert!((sine * length - y).abs().high() < 1e-30 && (cosine * length - x).abs().high() < 1e-30, "{angle}");
        assert_eq!(angle.high(), y.high().atan2(x.high()));
    }
}

#[test]
fn outside_of_domains_there_is_no_number() {
    let minus = DoubleDouble::from(-2.0);
    for value in [minus.sqrt(), minus.ln(), minus.asin(), minus.acos(), minus.acosh(), minus.atanh()] {
        assert!(!value.is_finite(), "{value}");
    }
    assert!(!(DoubleDouble::ONE / DoubleDouble::ZERO).is_finite());
    assert!(!DoubleDouble::from(1e5).exp().is_finite());
    assert_eq!(DoubleDouble::from(-1e5).exp().high(), 0.0);
    assert!(!DoubleDouble::from(f64::NAN).sin_cos().0.is_finite());
}

#[test]
fn decimal_digits() {
    let text = "-2.7182818284590452353602874713527e-5";
    assert_eq!(number(text).to_string(), text);
    assert_eq!(format!("{:.3}", number("9.99996")), "1.000e1");
    assert_eq!(format!("{:.0}", number("0.25e3")), "3e2");
    assert_eq!(number("0").to_string(), "0");
    assert_eq!(number("1e3"), DoubleDouble::from(1000.0));
    assert!("1.2.3".parse::<DoubleDouble>().is_err());
    assert!("".parse::<DoubleDouble>().is_err());
    assert_eq!(number("0.1").to_string(), "1.0000000000000000000000000000000e-1");
}
