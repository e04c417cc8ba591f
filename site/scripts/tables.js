// Tables that can be sorted by every column and filtered together by some:
//   <div class="filterable" data-filter-columns="From,Class" markdown> Markdown tables with the same columns </div>

export function enhanceTables(root) {
  for (const box of root.querySelectorAll(".filterable:not([data-ready])")) {
    box.dataset.ready = "";
    const tables = [...box.querySelectorAll("table")];
    tables.forEach(makeSortable);
    addFilter(box, tables);
  }
}

const textOf = (row, column) => row.cells[column].textContent.trim();

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const { compare } = new Intl.Collator("en", { numeric: true });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const direction = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = direction === 1 ? "ascending" : "descending";
      const rows = [...body.rows];
      body.append(...rows.sort((a, b) => direction * compare(textOf(a, column), textOf(b, column))));
    });
  });
}

function addFilter(box, tables) {
  const heads = [...tables[0].tHead.rows[0].cells].map((head) => head.textContent.trim());
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const controls = document.createElement("form");
  controls.className = "table-filter";
  controls.role = "search";
  controls.ariaLabel = "Filter the tables";
  const named = (name, control) => {
    const label = document.createElement("label");
    label.append(name, " ", control);
    controls.append(label);
    return control;
  };
  const words = named("Find", Object.assign(document.createElement("input"), { type: "search" }));
  const choices = box.dataset.filterColumns.split(",").map((name) => {
    const column = heads.indexOf(name);
    const select = named(name, document.createElement("select"));
    select.append(new Option("any", ""));
    for (const value of [...new Set(rows.map((row) => textOf(row, column)))].sort()) select.append(new Option(value));
    return { column, select };
  });
  const count = document.createElement("output");
  controls.append(count);

  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const all = row.textContent.toLowerCase();
      const isChosen = choices.every(({ column, select }) => !select.value || textOf(row, column) === select.value);
      row.hidden = !isChosen || !wanted.every((word) => all.includes(word));
    }
    for (const table of tables) table.classList.toggle("is-empty", [...table.tBodies[0].rows].every((row) => row.hidden));
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  controls.addEventListener("input", filter);
  controls.addEventListener("submit", (event) => event.preventDefault());
  filter();
  box.prepend(controls);
}
