//! Brace expansion: `{a,b}` makes several words of one.

use super::{
    draft::{Piece, Pieces, push_text},
    word::Hole,
};

/// More words than this are not made of one.
const MAX_WORDS: usize = 64;
const MAX_DEPTH: usize = 16;

#[derive(Debug)]
enum Node {
    Piece(Piece),
    Choice(Vec<Vec<Self>>),
}

#[derive(Debug, Default)]
struct Frame {
    done: Vec<Vec<Node>>,
    open: Vec<Node>,
}

/// How much the words that a word expands to may take.
pub(super) fn cost(word: &[Piece]) -> usize {
    let has_choice = word.iter().any(|it| matches!(it, Piece::Mark(',')));
    super::draft::cost(word) * if has_choice { MAX_WORDS } else { 1 } / 4
}

/// Makes the words that a shell with brace expansion would make.
pub(super) fn expand(word: Pieces) -> Vec<Pieces> {
    if !word.iter().any(|it| matches!(it, Piece::Mark(_))) {
        return vec![word];
    }
    let Some(nodes) = group(word) else {
        return vec![vec![Piece::Hole { hole: Hole::Brace, quoted: false }]];
    };
    if count(&nodes) > MAX_WORDS {
        return vec![vec![Piece::Hole { hole: Hole::Brace, quoted: false }]];
    }
    product(&nodes)
}

/// Finds which marks belong together; the others become text.
fn group(word: Pieces) -> Option<Vec<Node>> {
    let mut stack = vec![Frame::default()];
    for piece in word {
        let depth = stack.len();
        let frame = stack.last_mut()?;
        match piece {
            Piece::Mark('{') if depth > MAX_DEPTH => return None,
            Piece::Mark('{') => stack.push(Frame::default()),
            Piece::Mark(',') if depth > 1 => frame.done.push(std::mem::take(&mut frame.open)),
            Piece::Mark('}') if depth > 1 => {
                let closed = stack.pop()?;
                stack.last_mut()?.open.extend(close(closed));
            }
            Piece::Mark(mark) => frame.open.push(text(&mark.to_string())),
            Piece::Text { .. } | Piece::Hole { .. } | Piece::Parameter(_) => {
                frame.open.push(Node::Piece(piece));
            }
        }
    }
    while stack.len() > 1 {
        let unclosed = stack.pop()?;
        let written = as_written(unclosed, false);
        stack.last_mut()?.open.extend(written);
    }
    Some(stack.pop()?.open)
}

fn close(mut frame: Frame) -> Vec<Node> {
    let is_range = matches!(
        frame.open.as_slice(),
        [Node::Piece(Piece::Text { text, quoted: false })] if text.contains("..")
    );
    if frame.done.is_empty() {
        return if is_range {
            vec![Node::Piece(Piece::Hole { hole: Hole::Brace, quoted: false })]
        } else {
            as_written(frame, true)
        };
    }
    frame.done.push(frame.open);
    vec![Node::Choice(frame.done)]
}

fn as_written(frame: Frame, is_closed: bool) -> Vec<Node> {
    let mut nodes = vec![text("{")];
    for done in frame.done {
        nodes.extend(done);
        nodes.push(text(","));
    }
    nodes.extend(frame.open);
    nodes.extend(is_closed.then(|| text("}")));
    nodes
}

fn text(text: &str) -> Node {
    Node::Piece(Piece::Text { text: text.to_owned(), quoted: false })
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().fold(1, |product: usize, it| match it {
        Node::Piece(_) => product,
        Node::Choice(choices) => {
            let sum = choices.iter().map(|it| count(it)).fold(0, usize::saturating_add);
            product.saturating_mul(sum)
        }
    })
}

fn product(nodes: &[Node]) -> Vec<Pieces> {
    let mut words = vec![Pieces::new()];
    for node in nodes {
        match node {
            Node::Piece(Piece::Text { text, quoted }) => {
                for word in &mut words {
                    push_text(word, text, *quoted);
                }
            }
            Node::Piece(piece) => words.iter_mut().for_each(|it| it.push(piece.clone())),
            Node::Choice(choices) => {
                let choices: Vec<Pieces> = choices.iter().flat_map(|it| product(it)).collect();
                words = words
                    .iter()
                    .flat_map(|word| {
                        choices.iter().map(move |choice| {
                            let mut whole = word.clone();
                            whole.extend_from_slice(choice);
                            whole
                        })
                    })
                    .collect();
            }
        }
    }
    words
}
