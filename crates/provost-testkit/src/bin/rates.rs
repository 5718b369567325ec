//! Prints how often the gate is wrong, how often it finds a rule, and what it costs.
#![expect(clippy::print_stdout, reason = "its tables are what it is for")]

use provost_testkit::learn::simulation::{PLANTED, Simulation, SimulationError, Special, Truth};

const MISSIONS: u64 = 500;
const LABELS: [u64; 5] = [20, 50, 100, 200, 500];

fn main() -> Result<(), SimulationError> {
    let missions = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(MISSIONS);
    println!("{missions} missions per cell; labels 20, 50, 100, 200, 500; in percent\n");
    for asks in [false, true] {
        for noise in [0, 50] {
            let way = if asks { "asking" } else { "as they come" };
            println!("{way}, {noise} of 1000 calls flipped");
            let world = |seed, labels| Simulation { noise, asks, ..Simulation::new(seed, labels) };
            row("  shuffled labels, any rule in force", missions, |seed, labels| {
                let world = Simulation { truth: Truth::Shuffled, ..world(seed, labels) };
                Ok((!world.run()?.promoted.is_empty(), 0))
            })?;
            row("  good judge, any rule in force", missions, |seed, labels| {
                Ok((!world(seed, labels).run()?.promoted.is_empty(), 0))
            })?;
            for false_pass in [50, 100, 200] {
                let planted = |seed, labels| {
                    let special = Special { false_pass, ..Special::default() };
                    Simulation { special, ..world(seed, labels) }.run()
                };
                row(&format!("  planted on {false_pass}, in force"), missions, |seed, labels| {
                    let outcome = planted(seed, labels)?;
                    Ok((outcome.is_in_force(PLANTED), outcome.calls))
                })?;
                row(
                    &format!("  planted on {false_pass}, or offered"),
                    missions,
                    |seed, labels| Ok((planted(seed, labels)?.is_offered(PLANTED), 0)),
                )?;
            }
        }
    }
    Ok(())
}

/// Prints one row: the share of missions in which something holds, and calls per label at 100.
fn row(
    name: &str,
    missions: u64,
    holds: impl Fn(u64, u64) -> Result<(bool, u64), SimulationError>,
) -> Result<(), SimulationError> {
    let (mut cells, mut calls) = (Vec::new(), 0);
    for labels in LABELS {
        let mut n_holding = 0_u64;
        for seed in 0..missions {
            let (is_holding, n_calls) = holds(seed, labels)?;
            n_holding += u64::from(is_holding);
            calls += if labels == 100 { n_calls } else { 0 };
        }
        let tenths = n_holding * 1000 / missions;
        cells.push(format!("{:>4}.{}", tenths / 10, tenths % 10));
    }
    let cost = if calls == 0 {
        String::new()
    } else {
        format!("  calls per label {}", calls / missions / 100)
    };
    println!("{name:<40}{}{cost}", cells.join(" "));
    Ok(())
}
