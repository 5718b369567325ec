//! Prints how often the gate is wrong, how often it finds a rule, and what it costs, beside what is
//! usual instead.
#![expect(clippy::print_stdout, reason = "its tables are what it is for")]

use provost_testkit::learn::simulation::{
    Keeping, PLANTED, Simulation, SimulationError, Special, Truth,
};

const MISSIONS: u64 = 500;
const LABELS: [u64; 5] = [20, 50, 100, 200, 500];
/// What kinds of missions there are: shuffled labels, a judge that needs no rule, and a rule that
/// mends so many of a thousand cases.
const WORLDS: [(&str, Truth, u32); 5] = [
    ("shuffled labels, any rule in force", Truth::Shuffled, 0),
    ("good judge, any rule in force", Truth::Honest, 0),
    ("a rule that mends 5 %, in force", Truth::Honest, 50),
    ("a rule that mends 10 %, in force", Truth::Honest, 100),
    ("a rule that mends 20 %, in force", Truth::Honest, 200),
];

/// What a mission came to.
struct Found {
    is_in_force: bool,
    is_offered: bool,
    calls: u64,
}

fn main() -> Result<(), SimulationError> {
    let missions = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(MISSIONS);
    println!("{missions} missions per cell; labels 20, 50, 100, 200, 500; in percent");
    for noise in [0, 50] {
        for asks in [false, true] {
            let way = if asks { "asking" } else { "as they come" };
            println!("\ngate, {way}, {noise} of 1000 calls flipped");
            table(missions, |world, is_planted| {
                let outcome = Simulation { noise, asks, ..world }.run()?;
                let any = !outcome.promoted.is_empty();
                Ok(Found {
                    is_in_force: if is_planted { outcome.is_in_force(PLANTED) } else { any },
                    is_offered: if is_planted {
                        outcome.is_offered(PLANTED)
                    } else {
                        any || !outcome.offered.is_empty()
                    },
                    calls: outcome.calls,
                })
            })?;
        }
        for (name, keeping) in
            [("keep if better", Keeping::IfBetter), ("sign test at 5 %", Keeping::BySignTest)]
        {
            println!("\n{name} on two fifths held back, {noise} of 1000 calls flipped");
            table(missions, |world, is_planted| {
                let rules = Simulation { noise, ..world }.hold_out(keeping)?;
                let found = if is_planted { rules.contains(PLANTED) } else { !rules.is_empty() };
                Ok(Found { is_in_force: found, is_offered: found, calls: 0 })
            })?;
        }
    }
    Ok(())
}

/// Prints one row for each kind of mission.
fn table(
    missions: u64,
    mission: impl Fn(Simulation, bool) -> Result<Found, SimulationError>,
) -> Result<(), SimulationError> {
    for (name, truth, false_pass) in WORLDS {
        let (mut in_force, mut offered, mut cost) = (Vec::new(), Vec::new(), 0);
        for labels in LABELS {
            let (mut n_in_force, mut n_offered) = (0_u64, 0_u64);
            for seed in 0..missions {
                let special = Special { false_pass, ..Special::default() };
                let world = Simulation { truth, special, ..Simulation::new(seed, labels) };
                let found = mission(world, false_pass > 0)?;
                n_in_force += u64::from(found.is_in_force);
                n_offered += u64::from(found.is_offered);
                cost += if labels == 100 { found.calls } else { 0 };
            }
            in_force.push(percent(n_in_force, missions));
            offered.push(percent(n_offered, missions));
        }
        println!("  {name:<36} {}", in_force.join(" "));
        if cost > 0 {
            println!("  {:<36} {}", "  or offered", offered.join(" "));
            println!("  {:<36} {}", "  calls per label, of 100", cost / missions / 100);
        }
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> String {
    let tenths = part * 1000 / whole;
    format!("{:>4}.{}", tenths / 10, tenths % 10)
}
