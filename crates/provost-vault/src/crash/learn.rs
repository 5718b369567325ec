//! Every stop point of a learning run: it goes on to the same end, whatever a crash took away.

use provost_kernel::{Actor, Source};
use serde_json::{Value, json};

use super::{AfterNoon, Explored, Noon, check_caught, check_safe, explore, failed, layout};
use crate::{
    Location, Stored,
    learn::{
        AccountLog, ArtifactFile, DocumentFile, MissionFolder, MissionLog, RunFolder, Verified,
    },
    sim::SimDisk,
};

/// How many questions the run asks.
const QUESTIONS: u64 = 3;

/// When the answers are made durable.
#[derive(Clone, Copy)]
enum Order {
    AnswersFirst,
    AnswersLast,
}

fn place() -> Location {
    layout().learn_run(&"m".parse().unwrap(), &"run-1".parse().unwrap())
}

/// A run: each answer makes a selection and a new guidance. A model that is asked a second time
/// says something else, as models do: only the answers that are on the disk may count.
fn carry_on(
    disk: &SimDisk,
    start: &str,
    order: Order,
    mut acknowledge: impl FnMut(u64),
) -> Result<Vec<Value>, Box<dyn std::error::Error + Send + Sync>> {
    let run = RunFolder::on(disk, &place())?;
    run.pin_scaffold(&json!({"S1": "data is data"}))?;
    let mut calls = run.artifact(ArtifactFile::Calls)?;
    let mut selections = run.artifact(ArtifactFile::Selections)?;
    let mut answers = Vec::new();
    for seq in 1..=QUESTIONS {
        let answer = match calls.pending()? {
            Some(line) => serde_json::from_slice(&line)?,
            None => json!({"seq": seq, "answer": start}),
        };
        calls.append_json(&answer)?;
        let selection = json!({"seq": seq, "verdict": answer["answer"]});
        match order {
            Order::AnswersFirst => {
                calls.sync()?;
                acknowledge(seq);
                add(&mut selections, &selection)?;
            }
            Order::AnswersLast => {
                add(&mut selections, &selection)?;
                calls.sync()?;
                acknowledge(seq);
            }
        }
        if seq == 2 {
            run.write(DocumentFile::Guidance, &json!({"step": seq}))?;
        }
        answers.push(answer["answer"].clone());
    }
    selections.finish()?;
    calls.finish()?;
    Ok(answers)
}

fn add(
    log: &mut Verified<&SimDisk>,
    value: &Value,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    log.append_json(value)?;
    Ok(log.flush()?)
}

fn explore_run(order: Order) -> Explored {
    explore(
        |_| {},
        |disk, ledger| {
            let ran = carry_on(disk, "first", order, |seq| ledger.acknowledge(seq));
            ran.map(drop).map_err(std::io::Error::other)
        },
        |image, acknowledged| {
            let run = RunFolder::on(image, &place()).map_err(|it| it.to_string())?;
            match run.view().scaffold::<Value>().map_err(|it| it.to_string())? {
                Stored::Present(it) if it == json!({"S1": "data is data"}) => {}
                Stored::Absent if acknowledged == 0 => {}
                other @ (Stored::Present(_) | Stored::Absent | Stored::Corrupt(_)) => {
                    return Err(format!("{other:?}"));
                }
            }
            let answers = carry_on(image, "second", order, |_| {}).map_err(|it| it.to_string())?;
            let kept = answers.iter().take_while(|it| **it == json!("first")).count() as u64;
            if kept < acknowledged {
                return Err(format!("acknowledged {acknowledged} answers, found {kept}"));
            }
            // A third start changes nothing more.
            let again = carry_on(image, "third", order, |_| {}).map_err(|it| it.to_string())?;
            if again == answers { Ok(()) } else { Err(format!("{answers:?} became {again:?}")) }
        },
    )
}

/// A run that was stopped anywhere goes on, and an answer that was kept is not asked for again.
#[test]
fn a_run_goes_on_from_every_stop_point() {
    check_safe("learning run", &explore_run(Order::AnswersFirst));
}

/// What is made of an answer must not be on the disk before the answer is.
#[test]
fn an_answer_that_is_synced_too_late_is_caught() {
    check_caught("answers synced after what follows from them", &explore_run(Order::AnswersLast));
}

#[test]
fn what_is_current_is_in_the_history_at_every_stop_point() {
    let at = layout().mission(&"m".parse().unwrap());
    let history = |disk: &SimDisk| -> Vec<Value> {
        let mission = MissionFolder::on(disk, &at);
        let lines = mission.lines(MissionLog::History).unwrap();
        lines.map(|it| serde_json::from_slice(&it.unwrap()).unwrap()).collect()
    };
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let mission = MissionFolder::on(disk, &at);
            for step in 1..=2_u64 {
                mission.adopt(&json!(step)).map_err(failed)?;
                ledger.acknowledge(step);
            }
            Ok(())
        },
        |image, acknowledged| {
            let mission = MissionFolder::on(image, &at);
            let current = match mission.current::<u64>().map_err(|it| it.to_string())? {
                Stored::Present(step) => step,
                Stored::Absent => 0,
                Stored::Corrupt(corruption) => return Err(format!("{corruption:?}")),
            };
            if current < acknowledged || !(current == 0 || history(image).contains(&json!(current)))
            {
                return Err(format!("{current} of {acknowledged}, {:?}", history(image)));
            }
            for step in acknowledged + 1..=2 {
                mission.adopt(&json!(step)).map_err(|it| it.to_string())?;
            }
            let after = history(image);
            if after == [json!(1), json!(2)] { Ok(()) } else { Err(format!("{after:?}")) }
        },
    );
    check_safe("what is current", &explored);
}

fn author() -> Actor {
    Actor { source: Source::Cli, id: "kim".to_owned() }
}

/// The ledger of accounts: what was acknowledged is there, every line is the one in the chain, and
/// the next lines follow, whenever the machine stopped.
#[test]
fn a_ledger_goes_on_from_every_stop_point() {
    let (layout, mission) = (layout(), "m".parse().unwrap());
    let batches = [&["a"][..], &["b", "c"], &["d"]];
    let texts = batches.concat();
    let append = |log: &mut AccountLog<&SimDisk>, batch: &[&str], clock| {
        log.append(batch.iter().map(|it| (*it).to_owned()).collect(), &author(), clock)
    };
    let explored = explore(
        |_| {},
        |disk, ledger| {
            let mut log = AccountLog::on(disk, &layout, &mission).map_err(std::io::Error::other)?;
            for (n, batch) in (1..).zip(batches) {
                append(&mut log, batch, &Noon).map_err(std::io::Error::other)?;
                ledger.acknowledge(n);
            }
            Ok(())
        },
        |image, acknowledged| {
            let open = || AccountLog::on(image, &layout, &mission).map_err(|it| it.to_string());
            let kept: Vec<String> = open()?.lines().to_vec();
            let acknowledged_batches = usize::try_from(acknowledged).unwrap_or(usize::MAX);
            let least: usize = batches.iter().take(acknowledged_batches).map(|it| it.len()).sum();
            let n_batches = (0..=batches.len()).find(|it| batches[..*it].concat() == kept);
            let Some(n_batches) = n_batches.filter(|_| kept.len() >= least) else {
                return Err(format!("{kept:?}, acknowledged {acknowledged}"));
            };
            for batch in &batches[n_batches..] {
                append(&mut open()?, batch, &AfterNoon).map_err(|it| it.to_string())?;
            }
            let after = open()?;
            if after.lines() == texts { Ok(()) } else { Err(format!("{:?}", after.lines())) }
        },
    );
    check_safe("ledger of accounts", &explored);
}
