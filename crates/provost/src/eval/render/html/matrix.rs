//! Several reports as one table: prompts by models.

use provost_kernel::Lang;

use super::head;
use crate::{eval::matrix::Matrix, xml::escape};

/// The page of a matrix.
pub(in crate::eval) fn matrix(matrix: &Matrix, lang: Lang) -> String {
    let title = lang.pick("Prompts and models", "提示词与模型");
    let columns: String =
        matrix.models.iter().map(|it| format!("<th>{}</th>", escape(it))).collect();
    let row = |(prompt, cells): (&String, Vec<String>)| {
        let cells: String = cells.iter().map(|it| format!("<td>{}</td>", escape(it))).collect();
        format!("<tr><th>{}</th>{cells}</tr>\n", escape(prompt))
    };
    let rows: String = matrix.rows(lang).map(row).collect();
    format!(
        "{}<body>\n<h1>{title}</h1>\n<p>{}</p>\n<table><tr><th></th>{columns}</tr>\n{rows}</table>\n</body>\n</html>\n",
        head(title, lang),
        escape(&matrix.suite)
    )
}
