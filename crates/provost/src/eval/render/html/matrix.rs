//! Several reports as one table: prompts by models.

use provost_kernel::Lang;

use super::head;
use crate::{eval::matrix::Matrix, xml::escape};

/// The page of a matrix.
pub(in crate::eval) fn matrix(matrix: &Matrix, lang: Lang) -> String {
    let title = lang.pick("Prompts and models", "提示词与模型");
    let cell = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", escape(text));
    let columns: Vec<_> = matrix.models.iter().map(|it| cell("th", it)).collect();
    let columns = columns.concat();
    let row = |(prompt, cells): (&String, Vec<String>)| {
        let cells: Vec<_> = cells.iter().map(|it| cell("td", it)).collect();
        format!("<tr>{}{}</tr>\n", cell("th", prompt), cells.concat())
    };
    let rows: String = matrix.rows(lang).map(row).collect();
    format!(
        "{}<body>\n<h1>{title}</h1>\n<p>{}</p>\n<table><tr><th></th>{columns}</tr>\n{rows}</table>\n</body>\n</html>\n",
        head(title, lang),
        escape(&matrix.suite)
    )
}
