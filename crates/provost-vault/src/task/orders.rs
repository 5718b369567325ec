//! The queue of people's orders, and the files that repeat them for other readers.

use provost_kernel::{
    RecordFile,
    task::{Order, OrderRecord, OverrideVersion, UserInput},
};

use super::{TaskFiles, encode};
use crate::{Disk, Durable, FileError, Log, Stored, read::read_every, read_record, write_json};

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
    /// Every order so far, in order. A queue with a line that cannot be read is an error: an order
    /// that is left out would be lost, and its number used again.
    pub fn orders(&self) -> Result<Vec<OrderRecord>, FileError> {
        read_every(self.disk, &self.layout.orders(self.task))
    }

    /// Adds an order to the queue, durably, with no other process between check and write.
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
            // The queue may have been cut: a number that took effect is never given again.
            let applied = self.status()?.present().map_or(0, |it| it.value.last_order_seq_applied);
            let mut new = match admit(&orders).map_err(Stopped::Failed)? {
                Placed { record, standing: Standing::Repeated } => {
                    return Err(Stopped::Repeated(Box::new(record)));
                }
                Placed { record, standing: Standing::New } => record,
            };
            new.seq = orders.iter().map(|it| it.seq).fold(applied, u64::max).saturating_add(1);
            let line = encode(&at, &RecordFile::new(new.clone()))?;
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
        read_every(self.disk, &self.layout.user_input(self.task))
    }

    /// Every version of the overrides, the oldest first.
    pub fn overrides(&self) -> Result<Vec<OverrideVersion>, FileError> {
        Ok(self.orders()?.into_iter().filter_map(|it| it.resolved).collect())
    }

    fn follow_answers(&self, orders: &[OrderRecord]) -> Result<(), FileError> {
        let at = self.layout.user_input(self.task);
        while self.untold(orders)?.is_some() {
            let added = Log::open(self.disk, &at)?.append_after(Durable::Now, |_| {
                // Somebody else may have added it a moment ago.
                match self.untold(orders)? {
                    Some(answer) => Ok(encode(&at, &RecordFile::new(answer))?),
                    None => Err(AlreadyThere::Yes),
                }
            });
            match added {
                Ok(()) | Err(AlreadyThere::Yes) => {}
                Err(AlreadyThere::Unknown(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// The first answer in the queue that does not stand among what people said, with its number.
    fn untold(&self, orders: &[OrderRecord]) -> Result<Option<UserInput>, FileError> {
        let mut known = self.user_input()?;
        let newest = known.iter().map(|it| it.seq).max().unwrap_or(0);
        let answers = orders.iter().filter_map(|it| {
            let Order::Answer { text } = &it.order else { return None };
            Some(UserInput {
                seq: 0,
                ts: it.created_at,
                text: text.clone(),
                request_id: it.request_id.clone(),
                actor: Some(it.actor.clone()),
            })
        });
        for answer in answers {
            let same = |it: &UserInput| UserInput { seq: 0, ..it.clone() } == answer;
            if let Some(place) = known.iter().position(same) {
                // The same words twice are two answers.
                known.remove(place);
                continue;
            }
            // A queue that was cut no longer says how much was said before it.
            let is_whole = orders.first().is_none_or(|it| it.seq == 1);
            let before = if is_whole { 0 } else { self.consumed()? };
            return Ok(Some(UserInput { seq: newest.max(before).saturating_add(1), ..answer }));
        }
        Ok(None)
    }

    /// The number of the newest input that an attempt was given.
    fn consumed(&self) -> Result<u64, FileError> {
        let status = self.status()?.present();
        Ok(status.and_then(|it| it.value.last_user_input_seq_consumed).unwrap_or(0))
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
        match read_record::<D, OverrideVersion>(self.disk, at)? {
            Stored::Present(known) if known.value == *version => Ok(()),
            Stored::Present(_) | Stored::Absent | Stored::Corrupt(_) => {
                write_json(self.disk, at, &RecordFile::new(version.clone())).map(drop)
            }
        }
    }
}
