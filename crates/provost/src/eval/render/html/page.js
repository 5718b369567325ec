const at = (id) => document.getElementById(id);
const cases = [...document.querySelectorAll("[data-s]")];
const texts = cases.map((it) => it.textContent.toLowerCase());
const show = () => {
  const [words, status, check] = [at("q").value.toLowerCase().trim(), at("s").value, at("c").value];
  let shown = 0;
  cases.forEach((it, n) => {
    const fits =
      (!status || it.dataset.s === status) &&
      (!check || (it.dataset.c || "").split(" ").includes(check)) &&
      (!words || texts[n].includes(words));
    it.hidden = !fits;
    shown += fits;
  });
  at("n").textContent = `${shown} / ${cases.length}`;
};
for (const id of ["q", "s", "c"]) at(id).addEventListener("input", show);
at("filter").hidden = false;
show();
