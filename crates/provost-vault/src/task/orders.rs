//! The queue of people's orders, and the files that repeat them for other readers.

use provost_kernel::task::{Kept, Order, OrderRecord, OverrideVersion, UserInput};

use super::{TaskFiles, encode};
use crate::{Disk, Durable, FileError, Log, Stored, read_json, read_records, write_json};

/// What became of an order that was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub record: OrderRecord,
    pub standing: Standing,
}

/// Whether an order is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    New,
    /// The same order was placed before, and nothing was written now.
    Repeated,
}

/// Why no line was added.
enum Stopped<E> {
    Repeated(Box<OrderRecord>),
    Failed(E),
}

impl<E: From<FileError>> From<FileError> for Stopped<E> {
    fn from(error: FileError) -> Self {
        Self::Failed(error.into())
    }
}

/// Why an answer was not added.
enum AlreadyThere {
    Yes,
    Unknown(FileError),
}

impl From<FileError> for AlreadyThere {
    fn from(error: FileError) -> Self {
        Self::Unknown(error)
    }
}

impl<D: Disk> TaskFiles<'_, D> {
    /// Every order so far, in order.
    pub fn orders(&self) -> Result<Vec<OrderRecord>, FileError> {
        let found =
            read_records::<D, Kept<OrderRecord>>(self.disk, &self.layout.orders(self.task))?;
        Ok(found.records.into_iter().map(|it| it.value).collect())
    }

    /// Adds an order to the queue, durably, with nobody between the look and the write.
    ///
    /// `admit` sees every order so far. It answers with the new one, whose number is given here,
    /// or with an old one of which it is a repetition.
    pub fn place_order<E: From<FileError>>(
        &self,
        admit: impl FnOnce(&[OrderRecord]) -> Result<Placed, E>,
    ) -> Result<Placed, E> {
        let at = self.layout.orders(self.task);
        let mut log = Log::open(self.disk, &at)?;
        let mut placed = None;
        let added = log.append_after(Durable::Now, |_| {
            let orders = self.orders()?;
            let mut new = match admit(&orders).map_err(Stopped::Failed)? {
                Placed { record, standing: Standing::Repeated } => {
                    return Err(Stopped::Repeated(Box::new(record)));
                }
                Placed { record, standing: Standing::New } => record,
            };
            new.seq = orders.last().map_or(0, |it| it.seq).saturating_add(1);
            let line = encode(&at, &Kept::new(new.clone()))?;
            placed = Some(new);
            Ok(line)
        });
        let record = match added {
            Ok(()) => placed,
            Err(Stopped::Repeated(record)) => {
                return Ok(Placed { record: *record, standing: Standing::Repeated });
            }
            Err(Stopped::Failed(error)) => return Err(error),
        };
        // The log calls the maker of the line exactly once before it says yes.
        let record = record.ok_or_else(|| {
            FileError::on(crate::Action::Append, &at)(std::io::ErrorKind::WriteZero.into())
        })?;
        Ok(Placed { record, standing: Standing::New })
    }

    /// Brings the files that repeat orders in step with the queue: what people said, and what
    /// they overrode. Doing it again changes nothing.
    pub fn follow_orders(&self) -> Result<(), FileError> {
        let orders = self.orders()?;
        self.follow_answers(&orders)?;
        self.follow_overrides(&orders)
    }

    /// What people told the agent, in order.
    pub fn user_input(&self) -> Result<Vec<UserInput>, FileError> {
        let at = self.layout.user_input(self.task);
        let found = read_records::<D, Kept<UserInput>>(self.disk, &at)?;
        Ok(found.records.into_iter().map(|it| it.value).collect())
    }

    /// Every version of the overrides, the oldest first.
    pub fn overrides(&self) -> Result<Vec<OverrideVersion>, FileError> {
        Ok(self.orders()?.into_iter().filter_map(|it| it.resolved).collect())
    }

    fn follow_answers(&self, orders: &[OrderRecord]) -> Result<(), FileError> {
        let answers = orders.iter().filter_map(|it| {
            let Order::Answer { text } = &it.order else { return None };
            Some((it, text))
        });
        let answers: Vec<UserInput> = (1..)
            .zip(answers)
            .map(|(seq, (record, text))| UserInput {
                seq,
                ts: record.created_at,
                text: text.clone(),
                request_id: record.request_id.clone(),
                actor: Some(record.actor.clone()),
            })
            .collect();
        let known = self.user_input()?.iter().map(|it| it.seq).max().unwrap_or(0);
        let at = self.layout.user_input(self.task);
        for answer in answers.into_iter().filter(|it| it.seq > known) {
            let line = encode(&at, &Kept::new(answer.clone()))?;
            let added = Log::open(self.disk, &at)?.append_after(Durable::Now, |_| {
                // Somebody else may have added it a moment ago.
                let is_known = self.user_input()?.iter().any(|it| it.seq == answer.seq);
                if is_known { Err(AlreadyThere::Yes) } else { Ok(line) }
            });
            match added {
                Ok(()) | Err(AlreadyThere::Yes) => {}
                Err(AlreadyThere::Unknown(error)) => return Err(error),
            }
        }
        Ok(())
    }

    fn follow_overrides(&self, orders: &[OrderRecord]) -> Result<(), FileError> {
        let versions: Vec<&OverrideVersion> =
            orders.iter().filter_map(|it| it.resolved.as_ref()).collect();
        for version in &versions {
            let at = self.layout.override_version(self.task, version.version);
            self.write_unless_same(&at, version)?;
        }
        match versions.last() {
            Some(newest) => {
                self.write_unless_same(&self.layout.runtime_overrides(self.task), newest)
            }
            None => Ok(()),
        }
    }

    fn write_unless_same(
        &self,
        at: &crate::Location,
        version: &OverrideVersion,
    ) -> Result<(), FileError> {
        match read_json::<D, Kept<OverrideVersion>>(self.disk, at)? {
            Stored::Present(known) if known.value == *version => Ok(()),
            Stored::Present(_) | Stored::Absent | Stored::Corrupt(_) => {
                write_json(self.disk, at, &Kept::new(version.clone())).map(drop)
            }
        }
    }
}
