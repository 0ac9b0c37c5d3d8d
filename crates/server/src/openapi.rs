//! The description of the interface, made from the table of routes.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::routes::{Handler, ROUTES, Route};

/// Answers with the description.
#[expect(clippy::unnecessary_wraps, reason = "every handler is of one type")]
pub(crate) fn get(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(document()))
}

/// The description, in the form of `OpenAPI` 3.1.
fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/api/"))
    {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Denym",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The documents are those that `denym ... --json` prints, and so are the errors.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {
                    "type": "object",
                    "required": ["code", "message", "location", "help"],
                    "properties": {
                        "code": {"type": "string"},
                        "message": {"type": "string"},
                        "location": {"type": ["string", "null"]},
                        "help": {"type": "string"},
                    },
                }},
            }},
        },
    })
}

fn operation(route: &Route) -> Value {
    let names = route
        .path
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'));
    let parameters: Vec<Value> = names
        .map(|(name, _)| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    let events = matches!(route.handler, Handler::Events);
    let kind = if events {
        "text/event-stream"
    } else {
        "application/json"
    };
    let content = |schema: Value| json!({kind: {"schema": schema}});
    let failed = json!({
        "description": "what is wrong, where, and what to do",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    });
    let shape = if events {
        json!({"type": "string"})
    } else {
        json!({"type": "object"})
    };
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "2XX": {"description": "done", "content": content(shape)},
            "4XX": failed,
        },
    });
    if route.method != "GET" {
        let properties: Map<String, Value> = route
            .fields
            .iter()
            .map(|(name, meaning)| {
                (
                    (*name).to_owned(),
                    json!({"type": "string", "description": meaning}),
                )
            })
            .collect();
        let kind = match route.handler {
            Handler::Upload(_) => "multipart/form-data",
            _ => "application/json",
        };
        operation["requestBody"] =
            json!({"content": {kind: {"schema": {"type": "object", "properties": properties}}}});
    }
    operation
}
