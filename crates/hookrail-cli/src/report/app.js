// The report's page. Data comes from the element `data`.
// Text from the log is only ever set as text (`textContent`), never as markup.
'use strict';
(() => {
  const DECISIONS = ['block', 'ask', 'stop', 'changed', 'failed', 'allow'];
  const WORDS = { block: 'blocked', ask: 'asked', stop: 'stopped', changed: 'changed', failed: 'failed', allow: 'allowed' };
  const PAGE = 100;
  const MOST_HOOKS = 12;
  const MOST_OPTIONS = 300;
  const SVG = 'http://www.w3.org/2000/svg';
  const data = JSON.parse(document.getElementById('data').textContent);
  /** Newest first, as it is shown. */
  const decisions = data.decisions.map(prepared).sort((a, b) => b.at - a.at);
  let shown = PAGE;
  let shownSessions = 6;

  const $ = (id) => document.getElementById(id);
  const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  const shortTime = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

  function prepared(decision) {
    const at = Date.parse(decision.timestamp) || 0;
    const words = [decision.summary, decision.reason, decision.hook, decision.tool, decision.project, decision.source, decision.event, decision.sessionId];
    return { ...decision, at, haystack: words.filter(Boolean).join('\n').toLowerCase() };
  }

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === undefined || value === null) continue;
      if (key === 'class') made.className = value;
      else if (key in made && key !== 'list') made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  function drawn(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
  }

  function pill(decision) {
    return element('span', { class: `pill ${DECISIONS.includes(decision) ? decision : 'failed'}`, textContent: WORDS[decision] ?? decision });
  }

  function count(list, key) {
    const counts = new Map();
    for (const entry of list) {
      const value = key(entry);
      if (value !== undefined && value !== null && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || String(a[0]).localeCompare(String(b[0])));
  }

  function milliseconds(value) {
    if (value === undefined || value === null) return '–';
    return value < 1000 ? `${Math.round(value * 10) / 10} ms` : `${Math.round(value / 100) / 10} s`;
  }

  /** The value below which the given share of a sorted list lies. */
  function quantile(sorted, share) {
    return sorted.length === 0 ? undefined : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  function showCoverage() {
    const cards = data.coverage.map((agent) => {
      const [kind, word] = !agent.connected ? ['failed', 'not connected'] : agent.guarded ? ['allow', 'guarded'] : ['block', 'not guarded'];
      const card = element('li', {}, element('h3', {}, agent.title, element('span', { class: `pill ${kind}`, textContent: word })));
      if (agent.note) card.append(element('p', { textContent: agent.note }));
      const last = agent.lastEvents ?? [];
      card.append(element('p', { class: 'quiet', textContent: last.length === 0 ? 'No event in this period.' : `Last event ${time.format(Date.parse(last[0].at))}.` }));
      if (last.length > 0) {
        const list = last.map(({ event, at }) => element('li', { textContent: `${event}: ${time.format(Date.parse(at))}` }));
        card.append(element('details', {}, element('summary', { textContent: 'Events seen' }), element('ul', {}, ...list)));
      }
      if ((agent.cannot ?? []).length > 0) {
        const list = agent.cannot.map((text) => element('li', { textContent: text }));
        card.append(element('details', {}, element('summary', { textContent: 'What this agent cannot enforce' }), element('ul', {}, ...list)));
      }
      return card;
    });
    $('coverage').replaceChildren(...cards);
  }

  function showTotals() {
    const counts = new Map(count(decisions, (entry) => entry.decision));
    const durations = decisions.map((entry) => entry.durationMs).filter(Number.isFinite).sort((a, b) => a - b);
    const total = (label, value) => element('li', {}, element('b', { textContent: value }), label);
    $('totals').replaceChildren(
      ...DECISIONS.map((decision) => total(WORDS[decision], (counts.get(decision) ?? 0).toLocaleString())),
      total('median time', milliseconds(quantile(durations, 0.5))),
      total('95 % below', milliseconds(quantile(durations, 0.95))),
    );
  }

  /** A width of time that gives at most 60 columns, from the widths that people think in. */
  function columnWidth(span) {
    const minute = 60_000;
    const widths = [1, 5, 10, 30, 60, 180, 360, 720, 1440, 7 * 1440, 30 * 1440].map((minutes) => minutes * minute);
    return widths.find((width) => span / width <= 60) ?? span / 60;
  }

  function showOverTime() {
    const chart = $('over-time');
    if (decisions.length === 0) {
      chart.replaceChildren(element('p', { class: 'quiet', textContent: 'No decisions in this period.' }));
      $('over-time-numbers').replaceChildren();
      return;
    }
    const [first, last] = [decisions.at(-1).at, decisions[0].at];
    const width = columnWidth(Math.max(last - first, 1));
    const start = Math.floor(first / width) * width;
    const columns = Array.from({ length: Math.floor((last - start) / width) + 1 }, () => ({}));
    for (const entry of decisions) {
      const column = columns[Math.floor((entry.at - start) / width)];
      column[entry.decision] = (column[entry.decision] ?? 0) + 1;
    }
    const sums = columns.map((column) => Object.values(column).reduce((sum, value) => sum + value, 0));
    const most = Math.max(...sums);
    const [w, h, step] = [1000, 130, 1000 / columns.length];
    const bars = columns.flatMap((column, at) => {
      let below = 0;
      return [...DECISIONS].reverse().filter((decision) => column[decision]).map((decision) => {
        const height = (column[decision] / most) * (h - 14);
        below += height;
        return drawn('rect', { x: at * step + 0.5, y: h - below, width: Math.max(step - 1, 1), height, class: `fill-${decision}` });
      });
    });
    const label = `Decisions over time: ${decisions.length} between ${time.format(first)} and ${time.format(last)}, at most ${most} in one column.`;
    chart.replaceChildren(
      drawn('svg', { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...bars, drawn('line', { x1: 0, x2: w, y1: h, y2: h, class: 'axis' })),
      element('p', { class: 'quiet', textContent: `${time.format(start)} – ${time.format(last)}; the highest column has ${most}.` }),
    );
    const used = DECISIONS.filter((decision) => decisions.some((entry) => entry.decision === decision));
    $('legend').replaceChildren(...used.map((decision) => element('li', {}, drawn('svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' }, drawn('rect', { width: 10, height: 10, class: `fill-${decision}` })), WORDS[decision])));
    const rows = columns.map((column, at) => [time.format(start + at * width), ...used.map((decision) => column[decision] ?? 0)]).filter((row) => row.slice(1).some(Boolean));
    $('over-time-numbers').replaceChildren(table(['from', ...used.map((decision) => WORDS[decision])], rows));
  }

  /** The first column is text, the others are numbers or elements. */
  function table(heads, rows) {
    const head = element('tr', {}, ...heads.map((text, at) => element('th', { scope: 'col', class: at > 0 ? 'number' : undefined, textContent: text })));
    const body = rows.map((row) => element('tr', {}, ...row.map((cell, at) => {
      const td = element('td', { class: at > 0 ? 'number' : 'name' });
      td.append(cell instanceof Node ? cell : String(cell));
      return td;
    })));
    return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  }

  function bar(share, kind, from = 0) {
    return drawn('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, drawn('rect', { x: from * 100, width: Math.max(share * 100, 1), height: 10, class: `fill-${kind}` }));
  }

  function showHooks() {
    const deciding = decisions.filter((entry) => entry.decision !== 'allow' && entry.hook);
    const counts = count(deciding, (entry) => entry.hook).slice(0, MOST_HOOKS);
    const most = counts[0]?.[1] ?? 1;
    const kind = (hook) => deciding.find((entry) => entry.hook === hook)?.decision ?? 'allow';
    $('by-hook').replaceChildren(counts.length === 0
      ? element('p', { class: 'quiet', textContent: 'No rule or hook stopped, asked or changed anything.' })
      : table(['rule or hook', 'times', 'share'], counts.map(([hook, times]) => [hook, times, bar(times / most, kind(hook))])));

    const times = new Map();
    for (const { hook, durationMs } of data.hookCalls.map(([hook, durationMs]) => ({ hook, durationMs }))) {
      if (!times.has(hook)) times.set(hook, []);
      times.get(hook).push(durationMs);
    }
    const costs = [...times].map(([hook, list]) => {
      list.sort((a, b) => a - b);
      return { hook, runs: list.length, p50: quantile(list, 0.5), p95: quantile(list, 0.95) };
    }).sort((a, b) => b.p95 - a.p95).slice(0, MOST_HOOKS);
    const longest = costs[0]?.p95 || 1;
    $('cost').replaceChildren(costs.length === 0
      ? element('p', { class: 'quiet', textContent: 'No hook was started: rules are decided without a process.' })
      : table(['hook', 'runs', 'median', '95 % below', 'range'], costs.map(({ hook, runs, p50, p95 }) => [hook, runs, milliseconds(p50), milliseconds(p95), bar((p95 - p50) / longest, 'changed', p50 / longest)])));
  }

  function sessions() {
    const found = new Map();
    for (const entry of decisions) {
      const key = `${entry.agent}\n${entry.sessionId}`;
      if (!found.has(key)) found.set(key, { agent: entry.agent, id: entry.sessionId, project: entry.project, entries: [] });
      found.get(key).entries.push(entry);
    }
    return [...found.values()];
  }

  function showSessions() {
    const all = sessions();
    const rows = all.slice(0, shownSessions).map((session) => {
      const [last, first] = [session.entries[0].at, session.entries.at(-1).at];
      const span = Math.max(last - first, 1);
      const counts = count(session.entries, (entry) => entry.decision);
      const spoken = counts.map(([decision, times]) => `${times} ${WORDS[decision] ?? decision}`).join(', ');
      const ticks = session.entries.slice(0, 2000).map((entry) => {
        const loud = entry.decision !== 'allow';
        return drawn('rect', { x: ((entry.at - first) / span) * 990, y: loud ? 2 : 9, width: loud ? 5 : 2, height: loud ? 20 : 8, class: `fill-${DECISIONS.includes(entry.decision) ? entry.decision : 'failed'}` });
      });
      const show = element('button', { type: 'button', textContent: 'Show its decisions', 'aria-label': `Show its decisions: ${session.agent}, ${time.format(first)}` });
      show.addEventListener('click', () => {
        $('filters').reset();
        select($('session'), session.id);
        filterChanged();
        $('decisions').focus();
        $('decisions').scrollIntoView();
      });
      const head = element('div', { class: 'head' }, element('b', { textContent: session.agent }), element('span', { class: 'project', textContent: session.project ?? '' }),
        element('span', { class: 'quiet', textContent: `${time.format(first)}, ${Math.max(1, Math.round(span / 60_000))} min, ${spoken}` }), show);
      const line = element('div', { class: 'timeline' }, drawn('svg', { viewBox: '0 0 1000 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': `Timeline: ${spoken}` }, drawn('line', { x1: 0, x2: 1000, y1: 13, y2: 13, class: 'axis' }), ...ticks));
      return element('li', {}, head, line);
    });
    $('sessions').replaceChildren(...(rows.length === 0 ? [element('li', { class: 'quiet', textContent: 'No session in this period.' })] : rows));
    $('more-sessions').hidden = all.length <= shownSessions;
  }

  function select(list, value) {
    if (![...list.options].some((option) => option.value === value)) list.append(element('option', { value, textContent: value }));
    list.value = value;
  }

  function showFilters() {
    const fill = (id, everything, key, word = (value) => value) => {
      const list = $(id);
      const before = list.value;
      const options = count(decisions, key).slice(0, MOST_OPTIONS).map(([value, times]) => element('option', { value, textContent: `${word(value)} (${times})` }));
      list.replaceChildren(element('option', { value: '', textContent: everything }), ...options);
      if (before) select(list, before);
    };
    fill('agent', 'all', (entry) => entry.agent);
    fill('project', 'all', (entry) => entry.project);
    fill('decision', 'all', (entry) => entry.decision, (decision) => WORDS[decision] ?? decision);
    fill('session', 'all', (entry) => entry.sessionId, (id) => id.slice(0, 12));
  }

  function filtered() {
    const words = $('text').value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = { agent: $('agent').value, project: $('project').value, decision: $('decision').value, sessionId: $('session').value };
    const chosen = Object.entries(wanted).filter(([, value]) => value !== '');
    return decisions.filter((entry) => chosen.every(([key, value]) => entry[key] === value) && words.every((word) => entry.haystack.includes(word)));
  }

  function showList() {
    const found = filtered();
    $('count').textContent = `${found.length.toLocaleString()} of ${decisions.length.toLocaleString()} decisions`;
    const open = new Set([...$('list').querySelectorAll('details[open]')].map((details) => details.dataset.id));
    $('list').replaceChildren(...found.slice(0, shown).map((entry) => row(entry, open)));
    $('more').hidden = found.length <= shown;
  }

  function row(entry, open) {
    const made = $('row').content.firstElementChild.cloneNode(true);
    const part = (name) => made.querySelector(name);
    part('time').textContent = shortTime.format(entry.at);
    part('time').dateTime = entry.timestamp;
    part('time').title = time.format(entry.at);
    part('.agent').textContent = entry.agent ?? '';
    part('.pill').replaceWith(pill(entry.decision));
    part('.tool').textContent = entry.tool ?? entry.event;
    part('.summary').textContent = entry.summary ?? '';
    part('.hook').textContent = entry.hook ?? '';
    const details = part('details');
    details.dataset.id = entry.id;
    const fill = () => {
      if (part('.body').childElementCount === 0) part('.body').append(...body(entry));
    };
    if (open.has(entry.id)) {
      details.open = true;
      fill();
    }
    details.addEventListener('toggle', fill);
    return made;
  }

  function body(entry) {
    const list = element('dl');
    const add = (name, value) => {
      if (value === undefined || value === null || value === '') return;
      const dd = element('dd');
      dd.append(value instanceof Node ? value : String(value));
      list.append(element('dt', { textContent: name }), dd);
    };
    add('reason', entry.reason);
    add('decided by', entry.hook);
    add('in', entry.source);
    add('cause', entry.blockCause === 'failure' ? 'the guard failed, so the call was refused' : undefined);
    add('event', entry.tool ? `${entry.event}, ${entry.tool}` : entry.event);
    add('project', entry.project);
    add('session', entry.sessionId);
    add('time', `${time.format(entry.at)}, took ${milliseconds(entry.durationMs)}`);
    const parts = [list];
    for (const [name, { old: before, new: after }] of Object.entries(entry.changes ?? {})) {
      parts.push(element('h4', { textContent: `Changed: ${name}` }), difference(text(before), text(after)));
    }
    parts.push(steps(entry));
    return parts;
  }

  function text(value) {
    return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);
  }

  /** Lines that both have at the beginning and at the end are shown once. */
  function difference(before, after) {
    const [old, now] = [before.split('\n'), after.split('\n')];
    let head = 0;
    while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
    let tail = 0;
    while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
    const made = element('pre');
    const lines = (list, name, sign) => list.map((line) => element(name, { textContent: `${sign} ${line}` }));
    const same = (list) => list.map((line) => `  ${line}\n`);
    made.append(...same(old.slice(0, head)), ...lines(old.slice(head, old.length - tail), 'del', '−'), ...lines(now.slice(head, now.length - tail), 'ins', '+'), ...same(old.slice(old.length - tail)));
    return made;
  }

  /** Commands to copy. Only ids and names of plain signs get into a command line, never other text of the log. */
  function steps(entry) {
    const isPlain = (word) => typeof word === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,80}$/.test(word);
    const commands = [];
    if (isPlain(entry.hook)) commands.push(['The rule and its examples, if it is a shipped one', `hookrail rules ${entry.hook}`]);
    if (isPlain(entry.sessionId)) commands.push(['Everything of this session', `hookrail log --session ${entry.sessionId}`]);
    const list = commands.map(([label, command]) => {
      const copy = element('button', { type: 'button', textContent: 'Copy', 'aria-label': `Copy: ${command}` });
      copy.addEventListener('click', () => copied(copy, command));
      return element('li', {}, element('span', { textContent: label }), element('code', { textContent: command }), copy);
    });
    return element('ul', { class: 'steps' }, ...list);
  }

  async function copied(button, command) {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = 'Copied';
    } catch {
      // A file that was opened from a disk may have no clipboard: the command is selected instead.
      const range = document.createRange();
      range.selectNodeContents(button.previousElementSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  }

  function filterChanged() {
    shown = PAGE;
    showList();
  }

  function showEverything() {
    const to = data.until ? time.format(Date.parse(data.until)) : 'now';
    $('period').textContent = data.since ? `${time.format(Date.parse(data.since))} – ${to}` : `until ${to}`;
    $('version').textContent = `hookrail ${data.version}`;
    showCoverage();
    showTotals();
    showOverTime();
    showHooks();
    showSessions();
    showFilters();
    showList();
  }

  $('filters').addEventListener('input', filterChanged);
  $('filters').addEventListener('submit', (event) => event.preventDefault());
  $('filters').addEventListener('reset', () => setTimeout(filterChanged));
  $('more').addEventListener('click', () => {
    const at = shown;
    shown += PAGE;
    showList();
    $('list').children[at]?.querySelector('summary').focus();
  });
  $('more-sessions').addEventListener('click', () => {
    shownSessions += 20;
    showSessions();
  });
  document.addEventListener('keydown', (event) => {
    const typing = ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      $('text').focus();
    }
  });

  showEverything();
})();
