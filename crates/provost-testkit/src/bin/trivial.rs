//! The least that a hook can be: it reads what it is told to the end, and says nothing.
//!
//! The measurements start it the way they start provost; what both cost is the price of a process.

use std::io;

fn main() -> io::Result<()> {
    io::copy(&mut io::stdin().lock(), &mut io::sink()).map(drop)
}
