use provost_rules::command::{parse, refuse_sudo};
use std::io::Read;
fn main() {
    let mut data = Vec::new();
    std::io::stdin().read_to_end(&mut data).unwrap();
    let mut rest = &data[..];
    let (mut n, mut ran_n, mut bad, mut over, mut opq) = (0, 0, 0, 0, 0);
    while !rest.is_empty() {
        let nl = rest.iter().position(|b| *b == b'\n').unwrap();
        let head = std::str::from_utf8(&rest[..nl]).unwrap().to_owned();
        let f: Vec<i64> = head.split(' ').map(|x| x.parse().unwrap()).collect();
        let len = f[2] as usize;
        let text = std::str::from_utf8(&rest[nl + 1..nl + 1 + len]).unwrap();
        rest = &rest[nl + 2 + len..];
        n += 1;
        let script = parse(text);
        let refused = refuse_sudo(&script, provost_kernel::Lang::En);
        if f[0] == 1 {
            ran_n += 1;
            if refused.is_none() {
                bad += 1;
                println!("MISSED {text:?}");
            }
        }
        if f[0] == 0 && f[1] == 0 && refused.is_some() {
            over += 1;
            if std::env::args().nth(1).is_some() {
                println!("OVER {text:?} {:?}", refused.unwrap().message);
            }
        }
        if !script.opaque.is_empty() {
            opq += 1;
        }
    }
    println!("n={n} ran={ran_n} missed={bad} over={over} opaque={opq}");
}
