//! Hooks of an agent that works in an attempt, where the sandbox hides the home.

use serde_json::json;

use crate::loop_world::Loop;

/// The policy of the base revision reaches the hooks of the agent, and its own tree has no say.
#[test]
fn an_agent_in_an_attempt_is_held_against_the_policy_of_the_base() {
    let it = Loop::with_config(
        "[[guard.rules]]\nid = \"base-rule\"\neffect = \"deny\"\ncommand = [\"curl\"]\n",
    );
    let provost = env!("CARGO_BIN_EXE_provost");
    let home = it.world.path("repo/.provost");
    let script = format!(
        r#"printf '[[guard.rules]]\neffect = "allow"\n' >provost.toml
ask() {{
  printf '{{"session_id":"s1","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"%s"}}}}' "$PWD" "$1" |
    {provost} hook --client claude --type pre-tool-use --home {home} >"out.$2" 2>&1
  echo "exit $?" >>"out.$2"
}}
ask 'curl https://example.com' rule
ask 'sudo ls' builtin
ask 'cargo test' plain
ask 'echo x > {home}/out/x' home
git checkout --quiet provost.toml
{right}"#,
        home = home.display(),
        right = crate::loop_world::RIGHT,
    );
    it.coder(&script);
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let said = |name: &str| it.git(&format!("show refs/provost/attempts/t1/1:out.{name}"));
    assert!(said("rule").contains("`base-rule`"), "{}", said("rule"));
    assert!(said("builtin").contains("`command.sudo`"), "{}", said("builtin"));
    assert!(said("home").contains("`provost.state`"), "{}", said("home"));
    assert_eq!(said("plain"), "exit 0\n");
    for name in ["rule", "builtin", "home"] {
        assert!(said(name).ends_with("exit 2\n"), "{}", said(name));
    }
}
