//! The page's own files: read from disk in a debug build, part of the program in a release.

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, Response, StatusCode,
        header::{CONTENT_ENCODING, VARY},
    },
};
use rust_embed::RustEmbed;

use crate::{
    answer::Ready,
    etag, gzip, headers,
    i18n::Catalogue,
    lean::{lean, lean_style},
    refusal::{Own, Refusal},
};

#[derive(RustEmbed)]
#[folder = "../../web/"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.svg"]
struct Files;

/// The first parts of the addresses that the page itself understands.
const VIEWS: [&str; 10] =
    ["", "audit", "evals", "guard", "inbox", "learn", "login", "new", "stories", "tasks"];

/// A file of the page.
pub(crate) fn answer(
    catalogue: &Catalogue,
    method: &str,
    path: &str,
    request: &HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let (kind, ready) = find(catalogue, path).ok_or_else(Refusal::not_found)?;
    if !matches!(method, "GET" | "HEAD") {
        let refusal = Own::NoMethod.with(StatusCode::METHOD_NOT_ALLOWED);
        return Err(Refusal { allow: Some("GET".to_owned()), ..refusal });
    }
    // A browser may keep it, and asks each time whether it is still the same.
    let cache = HeaderValue::from_static("no-cache");
    let is_packed = gzip::is_wanted(request);
    let ready = if is_packed { gzip::packed(&ready) } else { ready };
    let mut response = etag::conditional(request, ready, HeaderValue::from_static(kind), cache);
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if kind == DOCUMENT {
        headers::secure_document(response.headers_mut());
    }
    Ok(response)
}

const DOCUMENT: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

fn find(catalogue: &Catalogue, path: &str) -> Option<(&'static str, Ready)> {
    if let Some(name) = path.strip_prefix("/i18n/") {
        return Some((JSON, catalogue.file(name)?));
    }
    let name = match path.strip_prefix("/app/") {
        Some(name) if !name.starts_with("vendor/") => name,
        None if path.starts_with("/vendor/") => path.trim_start_matches('/'),
        None if is_view(path) => "index.html",
        Some(_) | None => return None,
    };
    let kind = kind(name)?;
    let data = Files::get(name)?.data.into_owned();
    // The libraries stay as their digests say.
    let is_ours = !name.starts_with("vendor/");
    let data = match String::from_utf8(data) {
        Ok(text) if is_ours && kind == JAVASCRIPT => lean(&text).into_bytes(),
        Ok(text) if is_ours && kind == STYLE => lean_style(&text).into_bytes(),
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    Some((kind, Ready::new(data)))
}

fn is_view(path: &str) -> bool {
    let mut parts = path.split('/').skip(1);
    let first = parts.next().unwrap_or_default();
    VIEWS.contains(&first) && parts.count() <= 2
}

/// The type of a file, by its name; none for what the page has no use for.
fn kind(name: &str) -> Option<&'static str> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | '_' | '.');
    if !name.chars().all(is_plain) || name.contains("..") {
        return None;
    }
    match name.rsplit_once('.')?.1 {
        "html" if name == "index.html" => Some(DOCUMENT),
        "js" => Some(JAVASCRIPT),
        "css" => Some(STYLE),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}
