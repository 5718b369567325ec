//! Long answers in parts: a list is cut where the answer becomes too long for a client, the rest is
//! asked for with a cursor, and what is too long by itself is shortened and said to be.

use std::io;

use serde_json::{Map, Value, json};

/// How many bytes the items of one answer may have, and about as many what stands around them.
const BUDGET: usize = 48 << 10;

/// How far what is too long is shortened, mildly first: characters of a text, and items of a list or
/// an object.
const STEPS: [(usize, usize); 4] = [(2000, 100), (500, 100), (100, 50), (40, 10)];

/// Keeps the items of a list from `first` on that fit, at most `most`, and says under `nextCursor`
/// where the others begin. `list` is the place of the list in the answer.
pub(crate) fn cut(answer: &mut Value, list: &str, first: usize, most: usize) {
    let items = answer.pointer_mut(list).and_then(Value::as_array_mut);
    let n_items = items.map_or(0, |items| {
        let n_items = items.len();
        items.drain(..first.min(n_items));
        items.truncate(most);
        n_items
    });
    cut_part(answer, list, first, n_items);
}

/// The same for a list that holds nothing but a page: it begins with item `first` of `n_items`.
pub(crate) fn cut_part(answer: &mut Value, list: &str, first: usize, n_items: usize) {
    let taken = answer.pointer_mut(list).map(Value::take);
    let mut is_short = fit(answer).is_short;
    let Some(Value::Array(items)) = taken else { return };
    let (mut kept, mut n_bytes) = (Vec::new(), 0);
    for mut item in items {
        let fitted = fit(&mut item);
        is_short |= fitted.is_short;
        if n_bytes + fitted.n_bytes > BUDGET && !kept.is_empty() {
            break;
        }
        n_bytes += fitted.n_bytes;
        kept.push(item);
    }
    let next = first.saturating_add(kept.len());
    if let Some(place) = answer.pointer_mut(list) {
        *place = Value::Array(kept);
    }
    let Value::Object(object) = answer else { return };
    if next < n_items {
        object.insert("nextCursor".to_owned(), json!(next.to_string()));
    }
    if is_short {
        object.insert("shortened".to_owned(), json!(true));
    }
}

/// A value that fits.
struct Fitted {
    n_bytes: usize,
    /// Whether it had to be shortened.
    is_short: bool,
}

/// Shortens a value until it fits.
fn fit(value: &mut Value) -> Fitted {
    let mut n_bytes = length(value);
    let is_short = n_bytes > BUDGET;
    for (texts, items) in STEPS {
        if n_bytes <= BUDGET {
            break;
        }
        shorten(value, texts, items);
        n_bytes = length(value);
    }
    if n_bytes > BUDGET {
        *value = json!({"leftOut": n_bytes});
        n_bytes = length(value);
    }
    Fitted { n_bytes, is_short }
}

fn shorten(value: &mut Value, texts: usize, items: usize) {
    match value {
        Value::String(text) => {
            let n_characters = text.chars().count();
            if n_characters > texts {
                let kept: String = text.chars().take(texts).collect();
                *text = format!("{kept}… (+{})", n_characters - texts);
            }
        }
        Value::Array(list) => {
            list.truncate(items);
            for it in list {
                shorten(it, texts, items);
            }
        }
        Value::Object(object) => {
            let whole = std::mem::take(object);
            let kept = whole.into_iter().take(items);
            *object = kept
                .map(|(key, mut it)| {
                    shorten(&mut it, texts, items);
                    (key, it)
                })
                .collect::<Map<_, _>>();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many bytes a value has as JSON.
fn length(value: &Value) -> usize {
    /// Counts what is written, and keeps nothing of it.
    struct Counter(usize);

    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counter = Counter(0);
    // A value always has a form; if one had none, it would not fit.
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads every page of an answer; how many there are, how long the longest is, and the numbers
    /// of all items.
    fn pages(answer: &Value, most: usize) -> (usize, usize, Vec<u64>) {
        let (mut first, mut n_pages, mut longest, mut numbers) = (0, 0, 0, Vec::new());
        loop {
            let mut page = answer.clone();
            cut(&mut page, "/items", first, most);
            n_pages += 1;
            longest = longest.max(length(&page));
            let items = page["items"].as_array().unwrap();
            numbers.extend(items.iter().filter_map(|it| it["n"].as_u64()));
            match page["nextCursor"].as_str() {
                Some(next) => first = next.parse().unwrap(),
                None => return (n_pages, longest, numbers),
            }
        }
    }

    fn answer(n_items: u64, text: &str) -> Value {
        let items: Vec<Value> = (0..n_items).map(|n| json!({"n": n, "text": text})).collect();
        json!({"head": "h", "items": items})
    }

    #[test]
    fn a_short_answer_is_whole() {
        let whole = answer(3, "x");
        let mut page = whole.clone();
        cut(&mut page, "/items", 0, 30);
        assert_eq!(page, whole);
    }

    #[test]
    fn every_item_is_on_exactly_one_page_and_every_page_is_bounded() {
        for (n_items, text) in [(0, ""), (1, "x"), (100, "x"), (100, &*"y".repeat(10_000))] {
            let (_, longest, numbers) = pages(&answer(n_items, text), 30);
            assert_eq!(numbers, (0..n_items).collect::<Vec<_>>());
            assert!(longest <= 2 * BUDGET, "{longest}");
        }
        assert_eq!(pages(&answer(100, "x"), 30).0, 4);
    }

    #[test]
    fn what_is_too_long_by_itself_is_shortened_and_said_to_be() {
        for item in [
            json!({"n": 1, "text": "汉".repeat(1_000_000)}),
            json!({"n": 1, "list": vec!["word"; 100_000]}),
            json!({"n": 1, "map": (0..100_000).map(|n| (n.to_string(), json!(n))).collect::<Map<_, _>>()}),
        ] {
            let mut page = json!({"head": "h".repeat(500_000), "items": [item]});
            cut(&mut page, "/items", 0, 30);
            assert!(length(&page) <= 2 * BUDGET + 100, "{}", length(&page));
            assert_eq!(page["shortened"], true);
            assert_eq!(page["items"][0]["n"], 1);
        }
    }

    #[test]
    fn a_cursor_behind_the_end_is_an_empty_page() {
        let mut page = answer(3, "x");
        cut(&mut page, "/items", 99, 30);
        assert_eq!((page["items"].clone(), page.get("nextCursor")), (json!([]), None));
    }
}
