//! Reads a rubric in either shape, and holds it to what every rubric owes.

use std::collections::{BTreeMap, BTreeSet};

use provost_form::{Limits, json};
use provost_kernel::{
    Decimal, Digest, Text, shorten,
    task::{HalfPoints, TaskType, Weight},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Dimension, Expected, PenaltyCombine, PenaltyRule, Rubric, RubricError, TypeRubric, trigger,
};

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 16 };

/// What every type punishes, with the least points and whether it gates (LOOP-B6).
const UNIVERSAL: [(&str, u8, u8, bool); 3] = [
    (trigger::SECRETS_FORBIDDEN_GLOBS, 4, 4, true),
    (trigger::PLAGIARISM_COPYRIGHT, 4, 4, true),
    (trigger::MISSING_REQUIRED_SECTION, 2, 4, false),
];

pub(super) fn load(bytes: &[u8]) -> Result<Rubric, RubricError> {
    let value = json::parse(bytes, LIMITS).map_err(RubricError::Json)?;
    let root = Place { value: &value, at: String::new() };
    let version = root.get("rubric_version")?.text()?.to_owned();
    let hash = verified_hash(&root)?;
    let types = root.get("task_types")?;
    let read = |task_type: TaskType| {
        let place = types.find(task_type.as_str()).ok_or(RubricError::MissingType(task_type))?;
        read_type(task_type, &place)
    };
    // One entry for each word of the set: a new type does not compile without one here.
    let types = [
        read(TaskType::RequirementsDoc)?,
        read(TaskType::EngineeringImpl)?,
        read(TaskType::DouyinScript)?,
        read(TaskType::Storyboard)?,
        read(TaskType::PaidMiniDrama)?,
    ];
    Ok(Rubric { version, hash, types })
}

/// RFC 8785 over the object without `rubric_hash` and without comments.
fn verified_hash(root: &Place<'_>) -> Result<Digest, RubricError> {
    let stated = root.get("rubric_hash")?.text()?;
    let mut object = root.object()?.clone();
    object.retain(|key, _| key != "rubric_hash" && !key.starts_with('_'));
    let malformed = |_| RubricError::Malformed { at: String::new(), expected: Expected::Canonical };
    let actual = Digest::of_json(&object).map_err(malformed)?;
    if stated == actual.to_string() {
        return Ok(actual);
    }
    Err(RubricError::HashMismatch { stated: shorten(stated), actual })
}

fn read_type(task_type: TaskType, place: &Place<'_>) -> Result<TypeRubric, RubricError> {
    let dimensions = read_dimensions(task_type, place)?;
    let hundredths = dimensions.iter().map(|it| it.weight.hundredths()).sum();
    if hundredths != Weight::WHOLE {
        return Err(RubricError::WeightsDoNotAddUp { task_type, hundredths });
    }
    let threshold = place.find("hard_gate_threshold").or_else(|| place.find("gate_threshold"));
    let combine = place.find("penalty_combine").map(|it| it.combine()).transpose()?;
    Ok(TypeRubric {
        label: match place.find("label") {
            Some(it) => it.read(Expected::Bilingual)?,
            None => Text::verbatim(task_type.as_str()),
        },
        dimensions,
        gate_threshold: match threshold {
            Some(it) => it.read(Expected::Number)?,
            None => Decimal::ratio(2, 1),
        },
        penalty_combine: combine.unwrap_or(PenaltyCombine::Max),
        penalty_rules: read_penalties(task_type, place)?,
    })
}

fn read_dimensions(task_type: TaskType, place: &Place<'_>) -> Result<Vec<Dimension>, RubricError> {
    let weights = match place.find("weights") {
        Some(it) => it.read::<BTreeMap<String, Weight>>(Expected::Weight)?,
        None => BTreeMap::new(),
    };
    let hard_gates: BTreeSet<String> = match place.find("hard_gates") {
        Some(it) => it.read(Expected::Names)?,
        None => BTreeSet::new(),
    };
    let mut dimensions = Vec::new();
    for it in place.get("dimensions")?.items()? {
        let dimension = match it.value {
            // The older shape: a name, with weight and gate beside the list.
            Value::String(key) => Dimension {
                key: key.clone(),
                weight: *weights.get(key).ok_or_else(|| it.malformed(Expected::Weight))?,
                is_hard_gate: hard_gates.contains(key),
                description: None,
                anchors: BTreeMap::new(),
            },
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Dimension {
                key: it.get("dim_key")?.text()?.to_owned(),
                weight: it.get("weight")?.read(Expected::Weight)?,
                is_hard_gate: it.get("is_hard_gate")?.read(Expected::Truth)?,
                description: it
                    .find("description")
                    .map(|it| it.read(Expected::Bilingual))
                    .transpose()?,
                anchors: read_anchors(&it)?,
            },
        };
        dimensions.push(dimension);
    }
    // Said twice, it has to be the same.
    let stated: BTreeMap<String, Weight> =
        dimensions.iter().map(|it| (it.key.clone(), it.weight)).collect();
    if stated.len() != dimensions.len() || (!weights.is_empty() && stated != weights) {
        return Err(RubricError::Disagreement { task_type, key: "weights" });
    }
    let gates = dimensions.iter().filter(|it| it.is_hard_gate).map(|it| it.key.clone());
    if place.find("hard_gates").is_some() && gates.collect::<BTreeSet<_>>() != hard_gates {
        return Err(RubricError::Disagreement { task_type, key: "hard_gates" });
    }
    Ok(dimensions)
}

fn read_anchors(place: &Place<'_>) -> Result<BTreeMap<HalfPoints, Text>, RubricError> {
    let Some(anchors) = place.find("anchors") else { return Ok(BTreeMap::new()) };
    let texts: BTreeMap<String, Text> = anchors.read(Expected::Bilingual)?;
    let points = |key: &str| serde_json::from_str(key).ok();
    let entry = |(key, text): (String, Text)| {
        points(&key).map(|it| (it, text)).ok_or_else(|| anchors.malformed(Expected::Anchors))
    };
    texts.into_iter().map(entry).collect()
}

fn read_penalties(task_type: TaskType, place: &Place<'_>) -> Result<Vec<PenaltyRule>, RubricError> {
    let mut rules = match place.find("penalty_rules") {
        Some(list) => list.items()?.iter().map(read_penalty).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    for (trigger, points, points_max, force_gated) in UNIVERSAL {
        let points = HalfPoints::new(points).unwrap_or(HalfPoints::MAX_PENALTY);
        let points_max = HalfPoints::new(points_max).unwrap_or(HalfPoints::MAX_PENALTY);
        match rules.iter().find(|it| it.trigger == trigger) {
            None => rules.push(PenaltyRule {
                trigger: trigger.to_owned(),
                description: None,
                points,
                points_max,
                force_gated,
            }),
            Some(it) if it.points < points || (force_gated && !it.force_gated) => {
                let trigger = trigger.to_owned();
                return Err(RubricError::Weakened { task_type, trigger });
            }
            Some(_) => {}
        }
    }
    Ok(rules)
}

fn read_penalty(place: &Place<'_>) -> Result<PenaltyRule, RubricError> {
    let within = |it: Place<'_>| {
        let points: HalfPoints = it.read(Expected::Penalty)?;
        if points <= HalfPoints::MAX_PENALTY {
            Ok(points)
        } else {
            Err(it.malformed(Expected::Penalty))
        }
    };
    // The older shape calls the points `penalty`.
    let points = within(place.find("penalty_points").map_or_else(|| place.get("penalty"), Ok)?)?;
    let points_max = place.find("penalty_points_max").map(within).transpose()?;
    let description = place.find("description").filter(|it| it.value.is_object());
    Ok(PenaltyRule {
        trigger: place.get("trigger")?.text()?.to_owned(),
        description: description.map(|it| it.read(Expected::Bilingual)).transpose()?,
        points,
        points_max: points_max.unwrap_or(points).max(points),
        force_gated: match place.find("force_gated") {
            Some(it) => it.read(Expected::Truth)?,
            None => false,
        },
    })
}

/// A value and where it stands, so that an error can say so.
struct Place<'a> {
    value: &'a Value,
    at: String,
}

impl<'a> Place<'a> {
    fn malformed(&self, expected: Expected) -> RubricError {
        RubricError::Malformed { at: self.at.clone(), expected }
    }

    fn object(&self) -> Result<&'a Map<String, Value>, RubricError> {
        self.value.as_object().ok_or_else(|| self.malformed(Expected::Object))
    }

    fn find(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self { value, at: format!("{}/{key}", self.at) })
    }

    fn get(&self, key: &str) -> Result<Self, RubricError> {
        let missing = || RubricError::Malformed {
            at: format!("{}/{key}", self.at),
            expected: Expected::Value,
        };
        self.find(key).ok_or_else(missing)
    }

    fn text(&self) -> Result<&'a str, RubricError> {
        self.value.as_str().ok_or_else(|| self.malformed(Expected::Text))
    }

    fn items(&self) -> Result<Vec<Self>, RubricError> {
        let list = self.value.as_array().ok_or_else(|| self.malformed(Expected::List))?;
        let at = |(index, value)| Self { value, at: format!("{}/{index}", self.at) };
        Ok(list.iter().enumerate().map(at).collect())
    }

    fn combine(&self) -> Result<PenaltyCombine, RubricError> {
        match self.text()? {
            "max" => Ok(PenaltyCombine::Max),
            "sum" => Ok(PenaltyCombine::Sum),
            _ => Err(self.malformed(Expected::Combine)),
        }
    }

    fn read<T: DeserializeOwned>(&self, expected: Expected) -> Result<T, RubricError> {
        T::deserialize(self.value).map_err(|_| self.malformed(expected))
    }
}
