//! What findings of a proof mean, in both languages.

use super::{ProofCode, ProofFinding};
use crate::{Message, Text};

impl ProofFinding {
    /// What it means, with the first few subjects.
    pub fn text(&self) -> Text {
        let subjects: Vec<String> = self.subjects.iter().take(3).cloned().collect();
        let n = self.subjects.len();
        let said = match self.code {
            ProofCode::NoTestPassed => Said::NoTestPassed,
            ProofCode::RunIncomplete => Said::RunIncomplete,
            ProofCode::ExitMasked => Said::ExitMasked { n, subjects },
            ProofCode::RunnerGone => Said::RunnerGone,
            ProofCode::TestsRewritten => Said::TestsRewritten { n, subjects },
            ProofCode::DiffersUnwatched => Said::DiffersUnwatched,
            ProofCode::PlantSurvived => Said::PlantSurvived { n, subjects },
            ProofCode::PlantBlind => Said::PlantBlind { n, subjects },
            ProofCode::TestsRead if subjects.is_empty() => Said::ScriptsRead,
            ProofCode::TestsRead => Said::TestsRead { n, subjects },
            ProofCode::Regression => Said::Regression { n, subjects },
            ProofCode::OnlyWithChangedTests => Said::OnlyWithChangedTests { subjects },
            ProofCode::GreenedByTests => Said::GreenedByTests,
            ProofCode::TestsSkipped => Said::TestsSkipped { n, subjects },
            ProofCode::TestsGone => Said::TestsGone { n, subjects },
            ProofCode::TestsFewer => Said::TestsFewer { n, subjects },
            ProofCode::ExpectationChanged => Said::ExpectationChanged { n, subjects },
            ProofCode::BaseTestsDoNotRun => Said::BaseTestsDoNotRun,
            ProofCode::ChangeUnnoticed => Said::ChangeUnnoticed { n, subjects },
            ProofCode::MutantsLive => Said::MutantsLive { n, subjects },
            ProofCode::NothingNew => Said::NothingNew,
            ProofCode::CommentsOnly => Said::CommentsOnly { subjects },
            ProofCode::DataOnly => Said::DataOnly { subjects },
            ProofCode::FilesRewritten => Said::FilesRewritten { n, subjects },
            ProofCode::TestAware => Said::TestAware { subjects },
            ProofCode::AssertionsChanged => Said::AssertionsChanged { subjects },
            ProofCode::NoMutants => Said::NoMutants,
            ProofCode::CountsUnknown => Said::CountsUnknown,
            ProofCode::PlantInconclusive => Said::PlantInconclusive,
            ProofCode::TestsMoved => Said::TestsMoved { n, subjects },
            ProofCode::Flaky => Said::Flaky { n, subjects },
            ProofCode::NotPrepared => Said::NotPrepared { subjects },
        };
        said.text()
    }
}

/// What a finding means.
#[derive(Debug, Message)]
#[message(code = "task.test_proof")]
enum Said {
    #[message(en = "no test passed", zh = "没有一个测试通过")]
    NoTestPassed,
    #[message(en = "the test runner started and did not finish", zh = "测试运行器启动后没有运行完")]
    RunIncomplete,
    #[message(
        en = "the command succeeded although {n} {n:test|tests} failed: {subjects:names}",
        zh = "有 {n} 个测试失败，命令却成功了：{subjects:names}"
    )]
    ExitMasked { n: usize, subjects: Vec<String> },
    #[message(
        en = "the test runner of the base no longer runs",
        zh = "基准版本的测试运行器不再运行"
    )]
    RunnerGone,
    #[message(
        en = "running the command rewrites {n} test {n:file|files}: {subjects:names}",
        zh = "运行该命令会改写 {n} 个测试文件：{subjects:names}"
    )]
    TestsRewritten { n: usize, subjects: Vec<String> },
    #[message(
        en = "the command behaves differently when its tests are recorded",
        zh = "在记录测试时，该命令的行为不同"
    )]
    DiffersUnwatched,
    #[message(
        en = "{n} {n:test|tests} made to fail still passed: {subjects:names}",
        zh = "有 {n} 个被改为必然失败的测试仍然通过：{subjects:names}"
    )]
    PlantSurvived { n: usize, subjects: Vec<String> },
    #[message(
        en = "{n} {n:test|tests} passed with a false expectation: {subjects:names}",
        zh = "有 {n} 个测试在期望值错误时仍然通过：{subjects:names}"
    )]
    PlantBlind { n: usize, subjects: Vec<String> },
    #[message(
        en = "{n} {n:test|tests} {n:fails|fail} when the test file says the same in other words, so the product depends on how its tests are written: {subjects:names}",
        zh = "测试文件换一种写法、含义不变时，有 {n} 个测试失败，说明产品代码依赖测试的写法：{subjects:names}"
    )]
    TestsRead { n: usize, subjects: Vec<String> },
    #[message(
        en = "the command fails when its scripts say the same in other words, so the product depends on how they are written",
        zh = "命令的脚本换一种写法、含义不变时，命令失败，说明产品代码依赖脚本的写法"
    )]
    ScriptsRead,
    #[message(
        en = "{n} {n:test|tests} of the base no longer {n:passes|pass}: {subjects:names}",
        zh = "基准版本的 {n} 个测试不再通过：{subjects:names}"
    )]
    Regression { n: usize, subjects: Vec<String> },
    #[message(
        en = "the result is green only with changed tests or test configuration: {subjects:names}",
        zh = "只有改动测试或测试配置后结果才通过：{subjects:names}"
    )]
    OnlyWithChangedTests { subjects: Vec<String> },
    #[message(
        en = "the changed tests pass without the change to the product",
        zh = "不改产品代码，改动后的测试也能通过"
    )]
    GreenedByTests,
    #[message(
        en = "{n} {n:test|tests} of the base {n:is|are} skipped now: {subjects:names}",
        zh = "基准版本的 {n} 个测试现在被跳过：{subjects:names}"
    )]
    TestsSkipped { n: usize, subjects: Vec<String> },
    #[message(
        en = "{n} {n:test|tests} of the base no longer {n:runs|run}: {subjects:names}",
        zh = "基准版本的 {n} 个测试不再运行：{subjects:names}"
    )]
    TestsGone { n: usize, subjects: Vec<String> },
    #[message(
        en = "fewer tests pass than on the base: {n} {n:is|are} gone, with too few in {n:its|their} place: {subjects:names}",
        zh = "通过的测试比基准版本少：有 {n} 个消失，新增的不足以替代：{subjects:names}"
    )]
    TestsFewer { n: usize, subjects: Vec<String> },
    #[message(
        en = "{n} {n:test|tests} of the base {n:passes|pass} only as rewritten: {subjects:names}",
        zh = "基准版本的 {n} 个测试只有改写后才通过：{subjects:names}"
    )]
    ExpectationChanged { n: usize, subjects: Vec<String> },
    #[message(
        en = "the tests of the base cannot be run against the result",
        zh = "基准版本的测试无法在结果上运行"
    )]
    BaseTestsDoNotRun,
    #[message(
        en = "no test notices the change of {n} {n:file|files}: {subjects:names}",
        zh = "没有测试察觉 {n} 个文件的改动：{subjects:names}"
    )]
    ChangeUnnoticed { n: usize, subjects: Vec<String> },
    #[message(
        en = "no test notices any of {n} errors made on purpose in the changed lines: {subjects:names}",
        zh = "在改动的行中故意引入的 {n} 处错误，没有测试察觉：{subjects:names}"
    )]
    MutantsLive { n: usize, subjects: Vec<String> },
    #[message(en = "the tests are green without the change, too", zh = "没有这项改动，测试也通过")]
    NothingNew,
    #[message(
        en = "only comments of the product were changed, so a test can only have read them: {subjects:names}",
        zh = "产品代码只改了注释，测试至多读取了这些注释：{subjects:names}"
    )]
    CommentsOnly { subjects: Vec<String> },
    #[message(
        en = "only data was changed, which the tests may compare the product with: {subjects:names}",
        zh = "只改动了数据，测试可能正是拿产品与这些数据比较：{subjects:names}"
    )]
    DataOnly { subjects: Vec<String> },
    #[message(
        en = "running the command rewrites {n} {n:file|files} that it left alone on the base: {subjects:names}",
        zh = "运行该命令会改写 {n} 个文件，而在基准版本上不会：{subjects:names}"
    )]
    FilesRewritten { n: usize, subjects: Vec<String> },
    #[message(
        en = "changed code of the product can tell whether it is being tested: {subjects:names}",
        zh = "改动的产品代码能够分辨自己是否正在被测试：{subjects:names}"
    )]
    TestAware { subjects: Vec<String> },
    #[message(
        en = "assertions outside the tests were changed or removed: {subjects:names}",
        zh = "测试之外的断言被改动或删除：{subjects:names}"
    )]
    AssertionsChanged { subjects: Vec<String> },
    #[message(
        en = "no error could be made on purpose in the changed lines",
        zh = "在改动的行中无法故意引入错误"
    )]
    NoMutants,
    #[message(
        en = "single tests are not known: only the exit code counts",
        zh = "无法获知单个测试：只看退出码"
    )]
    CountsUnknown,
    #[message(en = "no test could be made to fail on purpose", zh = "没有测试可以被故意改为失败")]
    PlantInconclusive,
    #[message(
        en = "{n} {n:test|tests} of the base {n:is|are} gone, moved or replaced by new ones: {subjects:names}",
        zh = "基准版本的 {n} 个测试不见了，已被移动或由新测试取代：{subjects:names}"
    )]
    TestsMoved { n: usize, subjects: Vec<String> },
    #[message(
        en = "{n} {n:test|tests} {n:passes|pass} only sometimes: {subjects:names}",
        zh = "{n} 个测试时而通过时而失败：{subjects:names}"
    )]
    Flaky { n: usize, subjects: Vec<String> },
    #[message(
        en = "a run of the proof could not be prepared: {subjects:clauses}",
        zh = "有一次证明运行无法准备：{subjects:clauses}"
    )]
    NotPrepared { subjects: Vec<String> },
}
