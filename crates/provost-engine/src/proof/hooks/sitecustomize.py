import json
import os
import sys

_RECORD = "@RECORD@"
_ROOT = "@ROOT@"


def _chain():
    """Loads the sitecustomize that this file stands in front of."""
    import importlib.machinery
    here = os.path.dirname(os.path.abspath(__file__))
    rest = [it for it in sys.path if os.path.abspath(it or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        import importlib.util
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _watch():
    from unittest import runner
    plain = runner.TextTestRunner.run

    def name(test):
        where = sys.modules.get(type(test).__module__)
        file = os.path.relpath(getattr(where, "__file__", None) or "", _ROOT)
        parts = test.id().split(".")
        return file.replace(os.sep, "/"), parts[-2:] if len(parts) > 1 else parts

    def cases(suite):
        try:
            inner = list(suite)
        except TypeError:
            yield suite
            return
        for it in inner:
            yield from cases(it)

    def run(self, test):
        path = os.path.join(_RECORD, "unittest-%d.jsonl" % os.getpid())
        with open(path, "a", encoding="utf-8") as out:
            out.write(json.dumps({"event": "begin"}) + "\n")
        # A module that cannot be loaded stands for its tests under a name that no test has.
        unloaded = getattr(sys.modules.get("unittest.loader"), "_FailedTest", None)
        is_test = lambda it: hasattr(it, "id") and type(it) is not unloaded
        known = [(it.id(), name(it)) for it in cases(test) if is_test(it)]
        result = plain(self, test)
        failed, skipped = set(), set()
        for it, _ in list(result.failures) + list(result.errors):
            inner = getattr(it, "test_case", it)
            if not is_test(inner):
                continue
            failed.add(inner.id())
            if inner.id() not in dict(known):
                known.append((inner.id(), ("", [inner.id()])))
        failed.update(it.id() for it in result.unexpectedSuccesses)
        skipped.update(it.id() for it, _ in list(result.skipped) + list(result.expectedFailures))
        with open(path, "a", encoding="utf-8") as out:
            for id, (file, parts) in known:
                outcome = "failed" if id in failed else "skipped" if id in skipped else "passed"
                line = {"event": "test", "file": file, "path": parts, "outcome": outcome}
                out.write(json.dumps(line) + "\n")
            out.write(json.dumps({"event": "end"}) + "\n")
        return result

    runner.TextTestRunner.run = run


class _Finder:
    """Watches unittest once it is loaded, and loads nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name != "unittest.runner":
            return None
        sys.meta_path.remove(self)
        import importlib.util
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            try:
                _watch()
            except Exception:
                pass

        spec.loader.exec_module = exec_module
        return spec


try:
    _chain()
except Exception:
    pass
sys.meta_path.insert(0, _Finder())
