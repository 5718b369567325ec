//! Which row of the table a request belongs to, and its parameters.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use percent_encoding::percent_decode_str;

use crate::{
    refusal::{Own, Refusal},
    route::{Param, Route},
    routes,
};

/// The parameters of a request, decoded and within their limits.
pub(crate) type Values = BTreeMap<&'static str, String>;

/// The rows in which a path fits, whatever the method.
pub(crate) fn rows(path: &str) -> impl Iterator<Item = &'static Route> {
    routes::all().filter(move |it| fits(it.path, path))
}

/// The row of a method and a path.
pub(crate) fn find(method: &str, path: &str) -> Result<&'static Route, Refusal> {
    let known: Vec<&Route> = rows(path).collect();
    if known.is_empty() {
        return Err(Refusal::not_found());
    }
    // What can be read can also be asked for without its body.
    let wanted = if method == "HEAD" { "GET" } else { method };
    known.iter().find(|it| it.method.as_str() == wanted).copied().ok_or_else(|| {
        let methods: Vec<&str> = known.iter().map(|it| it.method.as_str()).collect();
        let refusal = Own::NoMethod.with(StatusCode::METHOD_NOT_ALLOWED);
        Refusal { allow: Some(methods.join(", ")), ..refusal }
    })
}

fn fits(row: &str, path: &str) -> bool {
    let (row, path) = (row.split('/'), path.split('/'));
    row.clone().count() == path.clone().count()
        && row.zip(path).all(
            |(one, other)| {
                if is_parameter(one) { !other.is_empty() } else { one == other }
            },
        )
}

fn is_parameter(part: &str) -> bool {
    part.starts_with('{')
}

/// Reads the parameters of a request.
pub(crate) fn values(route: &Route, path: &str, query: Option<&str>) -> Result<Values, Refusal> {
    let mut values = Values::new();
    for (part, given) in route.path.split('/').zip(path.split('/')) {
        if let Some(name) = part.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            take(route, name, given, &mut values)?;
        }
    }
    for pair in query.unwrap_or_default().split('&').filter(|it| !it.is_empty()) {
        let (name, given) = pair.split_once('=').unwrap_or((pair, ""));
        // A space is a plus behind the question mark.
        take(route, name, &given.replace('+', " "), &mut values)?;
    }
    Ok(values)
}

fn take(route: &Route, name: &str, given: &str, values: &mut Values) -> Result<(), Refusal> {
    let param: Option<&Param> = route.params.iter().find(|it| it.name == name);
    let unknown = || Refusal::parameter(&provost_kernel::shorten(name));
    let param = param.ok_or_else(unknown)?;
    let value = percent_decode_str(given).decode_utf8();
    let value = value.map_err(|_| Refusal::parameter(param.name))?;
    param.check(&value)?;
    // Which of two would count is not guessed.
    match values.insert(param.name, value.into_owned()) {
        None => Ok(()),
        Some(_) => Err(Refusal::parameter(param.name)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[track_caller]
    fn check(method: &str, address: &str, expected: u16) {
        let (path, query) =
            address.split_once('?').map_or((address, None), |it| (it.0, Some(it.1)));
        let found = find(method, path).and_then(|it| values(it, path, query));
        let status = found.map_or_else(|it| it.status.as_u16(), |_| 200);
        assert_eq!(status, expected, "{method} {address}");
    }

    #[test]
    fn a_path_is_parsed_and_never_joined() {
        check("GET", "/api/tasks", 200);
        check("HEAD", "/api/tasks", 200);
        check("GET", "/api/tasks/", 404);
        check("GET", "/api/tasks?limit=100", 200);
        check("GET", "/api/tasks?limit=101", 400);
        check("GET", "/api/tasks?limit=1&limit=2", 400);
        check("GET", "/api/tasks?unknown=1", 400);
        check("GET", "/api/tasks?q=%ff", 400);
        check("GET", "/api/tasks/t1", 200);
        check("GET", "/api/tasks/..", 400);
        check("GET", "/api/tasks/%2e%2e", 400);
        check("GET", "/api/tasks/..%2f..%2fetc%2fpasswd", 400);
        check("GET", "/api/tasks/t1%00", 400);
        check("GET", "/api/tasks/../health", 404);
        check("GET", "/api/nothing", 404);
        check("PATCH", "/api/tasks", 405);
        check("DELETE", "/api/tasks/t1", 405);
    }

    #[test]
    fn a_row_says_all_of_its_parameters_and_stands_once() {
        let mut seen = BTreeSet::new();
        for route in routes::all() {
            assert!(seen.insert((route.path, route.method.as_str())), "{}", route.path);
            for part in route.path.split('/').filter(|it| is_parameter(it)) {
                let name = part.trim_matches(['{', '}']);
                assert!(route.params.iter().any(|it| it.name == name), "{} {name}", route.path);
            }
        }
    }
}
