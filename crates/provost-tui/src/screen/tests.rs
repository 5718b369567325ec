//! Screens as they are seen.

use provost_kernel::{
    Lang,
    task::{RunStep, Running, SealStanding, TaskGroup},
};
use ratatui::{Terminal, backend::TestBackend};

use crate::{
    app::{
        App, Mode, PaperOf,
        tests::{app, at, detail, item, look, offer},
    },
    clean::clean,
    look::Marks,
    model::{Board, Item, Paper, PaperKind, PaperLine},
    width::cells,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The screen as text, without the space at the end of each line.
fn seen(app: &App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            let area = frame.area();
            super::draw(app, area, frame.buffer_mut());
        })
        .unwrap();
    let buffer = terminal.backend().buffer();
    let line = |row| {
        let (mut text, mut column) = (String::new(), 0);
        while column < width {
            let symbol = buffer[(column, row)].symbol();
            text.push_str(symbol);
            column += u16::try_from(cells(symbol)).unwrap().max(1);
        }
        text.trim_end().to_owned()
    };
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}

fn press(app: &mut App, text: &str) {
    for letter in text.chars() {
        let code = if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) };
        app.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

/// The board of the picture in the specification.
fn harbor(marks: Marks, lang: Lang) -> App {
    use SealStanding::{Contradicted, NotVerified, Running as Runs, Verified};
    let open = NotVerified;
    let of = |it: Item, strip, ago: u64| Item { strip, updated_at: at(86_400 - ago), ..it };
    let pick = |en, zh| lang.pick(en, zh);
    let mut app = App::new(lang, look(marks), "harbor", at(86_400));
    app.chain = Some(true);
    let running =
        Running { step: RunStep::Test, since: at(86_400 - 102), limit_seconds: Some(300) };
    app.take_board(Board {
        items: vec![
            of(
                item("fix-login-plus", TaskGroup::Waits, pick("ready for your review", "待你审阅")),
                [Verified, Verified, Verified, Verified, Verified, open],
                720,
            ),
            of(
                item(
                    "rate-limit-webhooks",
                    TaskGroup::Waits,
                    pick("the judge asks you", "评审有问题要问你"),
                ),
                [Verified, Verified, Verified, Contradicted, open, open],
                2280,
            ),
            of(
                item(
                    "csv-export-utf8",
                    TaskGroup::Waits,
                    pick("outside allowed paths", "超出允许的路径"),
                ),
                [Contradicted, open, open, open, open, open],
                3600,
            ),
            Item {
                running: Some(running),
                ..of(
                    item("paginate-orders-keyset", TaskGroup::Runs, "running"),
                    [Verified, Verified, Runs, open, open, open],
                    420,
                )
            },
            of(
                item(
                    "cache-ttl-24h",
                    TaskGroup::Proven,
                    pick("approved, landed 3f2a9c1", "已批准，已合入 3f2a9c1"),
                ),
                [Verified; 6],
                25_200,
            ),
        ],
        trouble: Vec::new(),
    });
    app.take_detail(detail("fix-login-plus"));
    app
}

#[test]
fn the_board_in_a_wide_terminal() {
    insta::assert_snapshot!(seen(&harbor(Marks::Unicode, Lang::En), 120, 24), @r"
     provost  harbor                                                                        live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
                                               path secr test clai judg revi
     WAITS FOR YOU  3
    ▌fix-login-plus                            ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○     ready for your review                1/3  12m
     rate-limit-webhooks                       ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○     the judge asks you                   1/3  38m
     csv-export-utf8                           ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○     outside allowed paths                1/3   1h
     RUNS  1
     paginate-orders-keyset                    ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○     test 1:42 of 5:00                    1/3   7m
     PROVEN  1
     cache-ttl-24h                             ●━━━━●━━━━●━━━━●━━━━●━━━━●     approved, landed 3f2a9c1             1/3   7h
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     ● tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       ┆ “I also tidied up”

     what you can do
       a  approve   provost approve t1
       x  reject   provost reject t1


     j k move  ↵ open  a approve  x reject  d diff  L log  / filter  ? keys  q quit
    ");
}

#[test]
fn the_board_at_80_columns_has_the_why_below() {
    insta::assert_snapshot!(seen(&harbor(Marks::Unicode, Lang::En), 80, 24), @r"
     provost  harbor                                live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
                                           path secr test clai judg revi
     WAITS FOR YOU  3
    ▌fix-login-plus                        ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○      1/3  12m
       ready for your review
     rate-limit-webhooks                   ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○      1/3  38m
       the judge asks you
     csv-export-utf8                       ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   1h
       outside allowed paths
     RUNS  1
     paginate-orders-keyset                ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   7m
       test 1:42 of 5:00
     PROVEN  1
     cache-ttl-24h                         ●━━━━●━━━━●━━━━●━━━━●━━━━●      1/3   7h
    ────────────────────────────────────────────────────────────────────────────────
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     ● tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       ┆ “I also tidied up”

     what you can do
     j k move  ↵ open  a approve  x reject  d diff  L log  / filter  ? keys  q quit
    ");
}

#[test]
fn the_board_in_chinese() {
    insta::assert_snapshot!(seen(&harbor(Marks::Unicode, Lang::Zh), 120, 20), @r"
     provost  harbor                                                                          实时   审计链完好   08:00 UTC
     3 项等你处理，1 个在运行，1 个已证明。
                                               路径 密钥 测试 声明 评审 审阅
     等你处理  3
    ▌fix-login-plus                            ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○     待你审阅                             1/3  12m
     rate-limit-webhooks                       ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○     评审有问题要问你                     1/3  38m
     csv-export-utf8                           ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○     超出允许的路径                       1/3   1h
     运行中  1
     paginate-orders-keyset                    ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○     测试 1:42 / 5:00                     1/3   7m
     已证明  1
     cache-ttl-24h                             ●━━━━●━━━━●━━━━●━━━━●━━━━●     已批准，已合入 3f2a9c1               1/3   7h
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     ● tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       ┆ “I also tidied up”

     可以做什么
     j k 移动  ↵ 打开  a 批准  x 拒绝  d 改动  L 日志  / 筛选  ? 按键  q 退出
    ");
}

#[test]
fn the_board_in_chinese_at_80_columns() {
    insta::assert_snapshot!(seen(&harbor(Marks::Unicode, Lang::Zh), 80, 24), @r"
     provost  harbor                                  实时   审计链完好   08:00 UTC
     3 项等你处理，1 个在运行，1 个已证明。
                                           路径 密钥 测试 声明 评审 审阅
     等你处理  3
    ▌fix-login-plus                        ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○      1/3  12m
       待你审阅
     rate-limit-webhooks                   ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○      1/3  38m
       评审有问题要问你
     csv-export-utf8                       ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   1h
       超出允许的路径
     运行中  1
     paginate-orders-keyset                ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   7m
       测试 1:42 / 5:00
     已证明  1
     cache-ttl-24h                         ●━━━━●━━━━●━━━━●━━━━●━━━━●      1/3   7h
    ────────────────────────────────────────────────────────────────────────────────
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     ● tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       ┆ “I also tidied up”

     可以做什么
     j k 移动  ↵ 打开  a 批准  x 拒绝  d 改动  L 日志  / 筛选  ? 按键  q 退出
    ");
}

#[test]
fn the_board_without_unicode() {
    let text = seen(&harbor(Marks::Ascii, Lang::En), 120, 24);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text, @r#"
     provost  harbor                                                                        live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
                                               path secr test clai judg revi
     WAITS FOR YOU  3
    >fix-login-plus                            #====#====#====#====#    .     ready for your review                1/3  12m
     rate-limit-webhooks                       #====#====#    X    .    .     the judge asks you                   1/3  38m
     csv-export-utf8                           X    .    .    .    .    .     outside allowed paths                1/3   1h
     RUNS  1
     paginate-orders-keyset                    #====#    ~    .    .    .     test 1:42 of 5:00                    1/3   7m
     PROVEN  1
     cache-ttl-24h                             #====#====#====#====#====#     approved, landed 3f2a9c1             1/3   7h
    ------------------------------------------------------------------------------------------------------------------------
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     # tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       : "I also tidied up"

     what you can do
       a  approve   provost approve t1
       x  reject   provost reject t1


     j k move  Enter open  a approve  x reject  d diff  L log  / filter  ? keys  q quit
    "#);
}

#[test]
fn the_board_without_unicode_at_80_columns() {
    let text = seen(&harbor(Marks::Ascii, Lang::En), 80, 24);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text, @r#"
     provost  harbor                                live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
                                           path secr test clai judg revi
     WAITS FOR YOU  3
    >fix-login-plus                        #====#====#====#====#    .      1/3  12m
       ready for your review
     rate-limit-webhooks                   #====#====#    X    .    .      1/3  38m
       the judge asks you
     csv-export-utf8                       X    .    .    .    .    .      1/3   1h
       outside allowed paths
     RUNS  1
     paginate-orders-keyset                #====#    ~    .    .    .      1/3   7m
       test 1:42 of 5:00
     PROVEN  1
     cache-ttl-24h                         #====#====#====#====#====#      1/3   7h
    --------------------------------------------------------------------------------
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     # tests  SHOWN: the test needs this change
         $ cargo test --workspace   exit 0   51.2 s
       : "I also tidied up"

     what you can do
     j k move  Enter open  a approve  x reject  d diff  L log  ? keys  q quit
    "#);
}

#[test]
fn the_board_in_a_small_window() {
    insta::assert_snapshot!(seen(&harbor(Marks::Unicode, Lang::En), 40, 10), @r"
     provost  harbor    live   chain intact
     Three wait for you, one runs, one is p…
     WAITS FOR YOU  3
    ▌fix-login-plus             ●●●●●○  12m
       ready for your review
     rate-limit-webhooks        ●●●✗○○  38m
    ────────────────────────────────────────
     fix-login-plus   row ready   PASS 90.8
     ready for your review
     j k move  ↵ open  ? keys  q quit
    ");
}

#[test]
fn one_task_on_the_whole_screen() {
    let mut app = harbor(Marks::Unicode, Lang::En);
    press(&mut app, "\n");
    insta::assert_snapshot!(seen(&app, 80, 20), @r"
    provost  harbor                                live   chain intact   08:00 UTC
    fix-login-plus   row ready   PASS 90.8
    goal of fix-login-plus
    ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○
    ready for your review
    ● tests  SHOWN: the test needs this change
        $ cargo test --workspace   exit 0   51.2 s
      ┆ “I also tidied up”

    what you can do
      a  approve   provost approve t1
      x  reject   provost reject t1







    j k move  a approve  x reject  d diff  L log  u back  ? keys
    ");
}

#[test]
fn a_question_names_attempt_and_commit() {
    let mut app = harbor(Marks::Unicode, Lang::En);
    press(&mut app, "a");
    insta::assert_snapshot!(seen(&app, 80, 16), @r"
     provost  harbor                                live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
     WAITS FOR YOU  3
    ▌fix-login-plus                        ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○      1/3  12m
       ready for your review
     rate-limit-webhooks                   ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○      1/3  38m
       the judge asks you
     csv-export-utf8                       ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   1h
       outside allowed paths
     RUNS  1
     paginate-orders-keyset                ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   7m
    ────────────────────────────────────────────────────────────────────────────────
     approve: fix-login-plus
     attempt 2, commit 9c41e7f
     y  do it     Esc  leave it
    ");
}

#[test]
fn a_text_is_typed_in_chinese() {
    let mut app = harbor(Marks::Unicode, Lang::Zh);
    press(&mut app, "x请改用");
    app.paste("端口\n8080");
    insta::assert_snapshot!(seen(&app, 80, 16), @r"
     provost  harbor                                  实时   审计链完好   08:00 UTC
     3 项等你处理，1 个在运行，1 个已证明。
     等你处理  3
    ▌fix-login-plus                        ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○      1/3  12m
       待你审阅
     rate-limit-webhooks                   ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○      1/3  38m
       评审有问题要问你
     csv-export-utf8                       ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○      1/3   1h
    ────────────────────────────────────────────────────────────────────────────────
     reject：fix-login-plus
     第 2 次尝试，提交 9c41e7f
     because
     ▌ 请改用端口
     ▌ 8080
     Enter  继续     Ctrl-J  换行     Esc  取消
    ");
}

#[test]
fn the_keys() {
    let mut app = harbor(Marks::Unicode, Lang::En);
    press(&mut app, "?");
    insta::assert_snapshot!(seen(&app, 80, 24), @r"
    provost  harbor                                live   chain intact   08:00 UTC
    keys
     j k ↓ ↑     move
     PgUp PgDn   a page up or down
     Home End    first, last
     ↵ →         open
     u ← Esc     back
     Tab         list or detail
     1 … 5       to a group
     a           approve
     x           reject
     r           answer
     p           pause or go on
     l           land
     o           all orders
     d           diff
     L           log
     [ ]         next file or step
     /           filter
     g i, g t    inbox, tasks
     ?           keys
     q           quit

    j k move  [ ] next file or step  u back  ? keys
    ");
}

#[test]
fn a_change_on_the_whole_screen() {
    let mut app = harbor(Marks::Unicode, Lang::En);
    let line = |kind, text: &str| PaperLine { kind, text: text.to_owned() };
    let lines = vec![
        line(PaperKind::Heading, "src/auth.rs  +2 -1"),
        line(PaperKind::Removed, "-    decode(address)"),
        line(PaperKind::Added, "+    decode_plus(address)"),
    ];
    let paper = Paper { title: "change".to_owned(), lines, parts: vec![0] };
    app.take_paper("fix-login-plus", paper, PaperOf::Diff);
    insta::assert_snapshot!(seen(&app, 80, 8), @r"
    provost  harbor                                live   chain intact   08:00 UTC
    change
    src/auth.rs  +2 -1
    -    decode(address)
    +    decode_plus(address)


    j k move  [ ] next file or step  u back  ? keys
    ");
}

#[test]
fn an_empty_board_says_how_to_begin() {
    let mut app = app(Marks::Unicode, Lang::En);
    app.take_board(Board::default());
    insta::assert_snapshot!(seen(&app, 80, 8), @r#"
    provost  harbor                                               live   08:10 UTC
    Nothing waits for you, nothing runs, nothing is proven.
    no tasks yet
    start one: `provost do "what should change"`



    j k move  ↵ open  / filter  ? keys  q quit
    "#);
}

/// What somebody else wrote neither moves the cursor nor shifts a column.
#[test]
fn hostile_texts_stay_in_their_column() {
    let mut app = harbor(Marks::Unicode, Lang::En);
    let mut board = app.board.clone().unwrap();
    for (item, text) in board.items.iter_mut().zip([
        "\u{1b}[2J\u{1b}[H\u{1b}]0;owned\u{7}wiped",
        "a\r\nREADY  all is proven",
        "\u{202e}txet desrever\u{202c}",
        "👩‍👩‍👧‍👦👩‍👩‍👧‍👦 家庭",
        "修复登录页面在使用特殊字符时出现的错误并补充测试用例说明文字很长很长很长",
    ]) {
        (item.id, item.why) = (clean(text), clean(text));
    }
    app.take_board(board);
    let text = seen(&app, 100, 24);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}', '\r']), "{text}");
    insta::assert_snapshot!(text, @r"
     provost  harbor                                                    live   chain intact   08:00 UTC
     Three wait for you, one runs, one is proven.
                                    path secr test clai judg revi
     WAITS FOR YOU  3
    ▌wiped                          ●━━━━●━━━━●━━━━●━━━━●┄┄┄┄○     wiped                       1/3  12m
     a READY  all is proven         ●━━━━●━━━━●┄┄┄┄✗┄┄┄┄○┄┄┄┄○     a READY  all is proven      1/3  38m
     txet desrever                  ✗┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○┄┄┄┄○     txet desrever               1/3   1h
     RUNS  1
     👩‍👩‍👧‍👦👩‍👩‍👧‍👦 家庭                      ●━━━━●┄┄┄┄◔┄┄┄┄○┄┄┄┄○┄┄┄┄○     test 1:42 of 5:00           1/3   7m
     PROVEN  1
     修复登录页面在使用特殊字符时…  ●━━━━●━━━━●━━━━●━━━━●━━━━●     修复登录页面在使用特殊字…   1/3   7h
    ────────────────────────────────────────────────────────────────────────────────────────────────────
     reading the task










     j k move  ↵ open  d diff  L log  / filter  ? keys  q quit
    ");
}

/// No size and no state panics, and no line is wider than the screen.
#[test]
fn every_size_can_be_drawn() {
    let long = "很长的标签 with words ".repeat(30);
    for keys in ["", "\n", "a", "xabc", "o", "?", "/fix", "j\t", "gi"] {
        for lang in [Lang::En, Lang::Zh] {
            let mut app = harbor(Marks::Unicode, lang);
            let mut wide = detail("fix-login-plus");
            wide.lines.iter_mut().for_each(|it| it.text.clone_from(&long));
            wide.offers.push(offer(provost_desk::task::Action::Set, &long, &[]));
            app.take_detail(wide);
            press(&mut app, keys);
            for width in (1..60).chain([80, 95, 96, 97, 200]) {
                for height in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 24, 60] {
                    seen(&app, width, height);
                }
            }
        }
    }
    let mut app = harbor(Marks::Ascii, Lang::En);
    app.mode = Mode::Paper { paper: Paper::default(), top: 5, of: PaperOf::Diff };
    seen(&app, 40, 10);
}
