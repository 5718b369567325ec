//! `inbox`.

use provost_kernel::task::{ErrorClass, Role};

use super::{failing, stage};
use crate::task::stage::{Ending, Stage};

#[test]
fn the_inbox_has_the_command_for_each() {
    let stage = stage();
    stage.task("coder", 4, &[Ending::step(Role::Coder, 3, ErrorClass::CoderFailed)]);
    task_snapshot!(stage.world.provost().args(["inbox"]), @r"
    exit: 0
    ----- stdout -----
    ask  paused · your answer is needed · 1h ago
      question: which port?
      provost answer ask TEXT
    gated  paused · a gate stopped the verdict · 2h ago
      question: What should change before the next attempt? The gating reasons say what stopped it.
      provost explain gated
      provost edit gated --instruction TEXT
      provost resume gated
    ready  ready · 3h ago
      provost approve ready
      provost reject ready --because TEXT
      provost land ready
    coder  paused · the coder failed; nothing was tested or judged · 4h ago
      question: What made the coder fail? (`provost logs coder --agent`)
      provost logs coder --agent
      provost resume coder
    used-up  failed · 1d ago
      provost explain used-up
      provost edit used-up --set max_attempts=4
      provost reject used-up --because TEXT
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["inbox", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    ask  已暂停 · 需要你的答复 · 1 小时前
      问题：which port?
      provost answer ask TEXT
    gated  已暂停 · 裁决未通过硬性门槛 · 2 小时前
      问题：下一次尝试前应改变什么？门槛原因说明了它为何被拦下。
      provost explain gated
      provost edit gated --instruction TEXT
      provost resume gated
    ready  待审阅 · 3 小时前
      provost approve ready
      provost reject ready --because TEXT
      provost land ready
    coder  已暂停 · 编码智能体失败；未测试也未评审 · 4 小时前
      问题：编码智能体为何失败？（`provost logs coder --agent`）
      provost logs coder --agent
      provost resume coder
    used-up  失败 · 1 天前
      provost explain used-up
      provost edit used-up --set max_attempts=4
      provost reject used-up --because TEXT
    ----- stderr -----
    ");
    let json = stage.world.provost().args(["inbox", "--json"]).run().json();
    assert_eq!(json["waiting"].as_array().unwrap().len(), 5);
    assert_eq!(json["waiting"][0]["questions_for_user"][0], "which port?");
}

#[test]
fn what_was_decided_leaves_the_inbox() {
    let stage = Stage::new();
    task_snapshot!(stage.world.provost().args(["inbox"]), @r"
    exit: 0
    ----- stdout -----
    nothing waits for you
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["inbox", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    没有等待处理的事项
    ----- stderr -----
    ");
    stage.task("ready", 1, &[Ending::ready()]);
    stage.task("used-up", 1, &[failing(), failing(), failing()]);
    let waiting = || {
        let json = stage.world.provost().args(["inbox", "--json"]).run().json();
        json["waiting"].as_array().unwrap().len()
    };
    assert_eq!(waiting(), 2);
    assert_eq!(stage.world.provost().args(["approve", "ready"]).run().exit(), Some(0));
    // An approved result can land at any time and is not listed.
    assert_eq!(waiting(), 1);
    for rejected in ["ready", "used-up"] {
        let reject = ["reject", rejected, "--because", "no"];
        assert_eq!(stage.world.provost().args(reject).run().exit(), Some(0));
    }
    assert_eq!(waiting(), 0);
}
