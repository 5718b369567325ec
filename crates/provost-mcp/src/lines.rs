//! Standard input and output as a transport: one message a line, and an answer to each line that is
//! none.

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::Mutex,
    task::JoinHandle,
};

use crate::message::{self, LONGEST, Refusal};

/// A transport over two streams.
///
/// What it waits for may be given up at any point, since the SDK waits for other things as well:
/// half a line is kept here until it is whole, and an answer is written by a task of its own.
pub(crate) struct LineTransport<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is still to come.
    is_skipping: bool,
    /// The answer to the line before, which is being written.
    reply: Option<JoinHandle<io::Result<()>>>,
    output: Arc<Mutex<Option<W>>>,
}

/// What the next line is.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_skipping: false,
            reply: None,
            output: Arc::new(Mutex::new(Some(output))),
        }
    }

    /// Reads into `line` until it is whole, and never more than a message may have.
    async fn next_line(&mut self) -> Line {
        loop {
            let Ok(available) = self.input.fill_buf().await else { return Line::End };
            if available.is_empty() {
                return Line::End;
            }
            let end = available.iter().position(|it| *it == b'\n');
            let n_taken = end.map_or(available.len(), |it| it + 1);
            let is_long = !self.is_skipping && self.line.len() + n_taken > LONGEST;
            if is_long {
                self.line.clear();
                self.is_skipping = true;
            } else if !self.is_skipping {
                self.line.extend_from_slice(available.get(..n_taken).unwrap_or_default());
            }
            self.input.consume(n_taken);
            let was_skipping = self.is_skipping;
            if end.is_some() {
                self.is_skipping = false;
            }
            match (is_long, end.is_some(), was_skipping) {
                (true, _, _) => return Line::TooLong,
                (false, true, false) => return Line::Whole,
                (false, true, true) | (false, false, _) => {}
            }
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        if refusal.is_answered {
            let line = format!("{}\n", refusal.reply()).into_bytes();
            self.reply = Some(tokio::spawn(write(Arc::clone(&self.output), line)));
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            write(output, line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // One line is answered before the next one is read.
            if let Some(reply) = &mut self.reply {
                let written = reply.await;
                self.reply = None;
                written.ok()?.ok()?;
            }
            match self.next_line().await {
                Line::End => return None,
                Line::TooLong => self.refuse(&Refusal::too_long()),
                Line::Whole => {
                    let line = std::mem::take(&mut self.line);
                    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
                    if line.is_empty() {
                        continue;
                    }
                    match message::read(line) {
                        Ok(message) => return Some(message),
                        Err(refusal) => self.refuse(&refusal),
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Writes a line that nothing else comes into.
async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<Option<W>>>,
    line: Vec<u8>,
) -> io::Result<()> {
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}
