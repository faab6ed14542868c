// The report's page. Data comes from the element `data`, and, in `hookrail report --live`, every second from the server.
// Text from the log is only ever set as text (`textContent`), never as markup.
'use strict';
(() => {
  const DECISIONS = ['block', 'ask', 'stop', 'changed', 'failed', 'allow'];
  const WORDS = { block: 'blocked', ask: 'asked', stop: 'stopped', changed: 'changed', failed: 'failed', allow: 'allowed' };
  const PAGE = 100;
  const FIRST_SESSIONS = 5;
  const MOST_HOOKS = 10;
  const MOST_OPTIONS = 300;
  const MOST_TICKS = 1500;
  const SVG = 'http://www.w3.org/2000/svg';
  const data = JSON.parse(document.getElementById('data').textContent);
  /** Newest first, as it is shown. */
  let decisions = data.decisions.map(prepared).sort((a, b) => b.at - a.at);
  const rows = new Map();
  let shown = PAGE;
  let shownSessions = FIRST_SESSIONS;

  const $ = (id) => document.getElementById(id);
  const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  const rowTime = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  const dayTime = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false });
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

  /** Signs that are not seen, or that change the order in which text is read, are written out. */
  function safe(text) {
    return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
  }

  function prepared(decision) {
    const made = { ...decision, at: Date.parse(decision.timestamp) || 0 };
    for (const key of ['summary', 'reason', 'hook', 'tool', 'project', 'source', 'event', 'agent', 'sessionId', 'decision']) {
      if (made[key] !== undefined && made[key] !== null) made[key] = safe(String(made[key]));
    }
    made.haystack = [made.summary, made.reason, made.hook, made.tool, made.project, made.source, made.event, made.agent, made.sessionId].filter(Boolean).join('\n').toLowerCase();
    return made;
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

  function kindOf(decision) {
    return DECISIONS.includes(decision) ? decision : 'failed';
  }

  function pill(decision) {
    return element('span', { class: `pill ${kindOf(decision)}`, textContent: WORDS[decision] ?? decision });
  }

  function count(list, key) {
    const counts = new Map();
    for (const entry of list) {
      const value = key(entry);
      if (value !== undefined && value !== null && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || String(a[0]).localeCompare(String(b[0])));
  }

  function counted(number, word) {
    return `${number.toLocaleString()} ${word}${number === 1 ? '' : 's'}`;
  }

  function milliseconds(value) {
    if (value === undefined || value === null) return '–';
    if (value < 1) return '< 1 ms';
    return value < 1000 ? `${Math.round(value * 10) / 10} ms` : `${Math.round(value / 100) / 10} s`;
  }

  /** A length of time, as people say it: two units at most. */
  function span(ms) {
    const minutes = Math.round(ms / 60_000);
    if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`;
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
    return hours % 24 === 0 ? `${Math.floor(hours / 24)} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
  }

  function ago(at) {
    const seconds = Math.round((at - (Date.parse(data.until) || Date.now())) / 1000);
    for (const [unit, length] of [['day', 86_400], ['hour', 3600], ['minute', 60]]) {
      if (-seconds >= length) return relative.format(Math.round(seconds / length), unit);
    }
    return 'just now';
  }

  /** The value below which the given share of a sorted list lies. */
  function quantile(sorted, share) {
    return sorted.length === 0 ? undefined : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  /** Puts these elements into a list and leaves those alone that are there already, so that nobody loses the focus. */
  function sync(list, elements) {
    const wanted = new Set(elements);
    for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
    elements.forEach((child, at) => {
      if (list.children[at] !== child) list.insertBefore(child, list.children[at] ?? null);
    });
  }

  function showCoverage() {
    const last = new Map();
    for (const { agent, event, at } of decisions) {
      if (!last.has(agent)) last.set(agent, new Map());
      const events = last.get(agent);
      if (!events.has(event)) events.set(event, at);
    }
    const open = new Set([...$('coverage').querySelectorAll('details[open]')].map((details) => details.dataset.key));
    const details = (key, title, lines) => {
      const made = element('details', { open: open.has(key) }, element('summary', { textContent: title }), element('ul', {}, ...lines.map((textContent) => element('li', { textContent }))));
      made.dataset.key = key;
      return made;
    };
    const cards = data.coverage.map((agent) => {
      const [kind, word] = agent.guarded ? ['allow', 'guarded'] : agent.connected ? ['block', 'not guarded'] : ['none', 'not connected'];
      const events = [...(last.get(agent.agent) ?? [])].sort((a, b) => b[1] - a[1]);
      const seen = events.length === 0 ? 'No decision in this period.' : `Last decision ${ago(events[0][1])}.`;
      const card = element('li', { class: kind === 'block' ? 'alarm' : undefined },
        element('h3', {}, agent.title, element('span', { class: `pill ${kind}`, textContent: word })),
        element('p', { textContent: agent.why ?? `${agent.guards}. ${seen}` }));
      if (agent.why && events.length > 0) card.append(element('p', { class: 'quiet', textContent: seen }));
      if (events.length > 0) card.append(details(`${agent.agent} events`, counted(events.length, 'event'), events.map(([event, at]) => `${event}: last ${exactTime.format(at)}`)));
      if (agent.connected && agent.cannot.length > 0) card.append(details(`${agent.agent} limits`, `${counted(agent.cannot.length, 'thing')} it cannot enforce (measured with ${agent.measured})`, agent.cannot));
      return card;
    });
    const none = element('li', {}, element('p', { textContent: 'No coding agent was found. Run `hookrail setup`.' }));
    $('coverage').replaceChildren(...(cards.length === 0 ? [none] : cards));
  }

  function showTotals() {
    const counts = new Map(count(decisions, (entry) => kindOf(entry.decision)));
    const cells = DECISIONS.map((decision) => {
      const number = counts.get(decision) ?? 0;
      const made = $(`total-${decision}`) ?? element('button', { id: `total-${decision}`, type: 'button' }, element('b'), WORDS[decision]);
      made.className = number > 0 ? decision : 'zero';
      made.firstElementChild.textContent = number.toLocaleString();
      made.onclick = () => choose({ decision });
      return made;
    });
    sync($('totals'), cells);
    const durations = decisions.map((entry) => entry.durationMs).filter(Number.isFinite).sort((a, b) => a - b);
    $('durations').textContent = durations.length === 0 ? '' : `${counted(decisions.length, 'decision')}. Time until each was made: median ${milliseconds(quantile(durations, 0.5))}, 95th percentile ${milliseconds(quantile(durations, 0.95))}.`;
  }

  /** A width of time that gives at most 60 columns, from the widths that people think in. */
  function columnWidth(length) {
    const widths = [1, 5, 10, 30, 60, 180, 360, 720, 1440, 7 * 1440, 30 * 1440].map((minutes) => minutes * 60_000);
    return widths.find((width) => length / width <= 60) ?? length / 60;
  }

  function showOverTime() {
    const chart = $('over-time');
    if (decisions.length === 0) {
      chart.replaceChildren(element('p', { class: 'quiet', textContent: 'No decision in this period.' }));
      $('over-time-numbers').replaceChildren();
      return;
    }
    const [first, last] = [decisions.at(-1).at, decisions[0].at];
    const width = columnWidth(Math.max(last - first, 1));
    const start = Math.floor(first / width) * width;
    const columns = Array.from({ length: Math.floor((last - start) / width) + 1 }, () => ({}));
    for (const entry of decisions) {
      const column = columns[Math.floor((entry.at - start) / width)];
      const kind = kindOf(entry.decision);
      column[kind] = (column[kind] ?? 0) + 1;
    }
    const sums = columns.map((column) => Object.values(column).reduce((sum, value) => sum + value, 0));
    const most = Math.max(...sums);
    // Few columns are as narrow as many: one wide block would say nothing.
    const slots = Math.max(columns.length, 24);
    const [w, h, step] = [1000, 120, 1000 / slots];
    const bars = columns.map((column, at) => {
      let below = 0;
      const parts = [...DECISIONS].reverse().filter((decision) => column[decision]).map((decision) => {
        const height = (column[decision] / most) * (h - 4);
        below += height;
        return drawn('rect', { x: at * step + step * 0.1, y: h - below, width: step * 0.8, height, class: `fill-${decision}` });
      });
      const words = DECISIONS.filter((decision) => column[decision]).map((decision) => `${column[decision]} ${WORDS[decision]}`);
      return drawn('g', {}, drawn('title', {}, `${time.format(start + at * width)}: ${words.join(', ')}`), ...parts);
    });
    const grid = [0.5, 1].map((share) => drawn('line', { x1: 0, x2: w, y1: h - share * (h - 4), y2: h - share * (h - 4), class: 'grid' }));
    const used = DECISIONS.filter((decision) => decisions.some((entry) => kindOf(entry.decision) === decision));
    const label = `${counted(decisions.length, 'decision')} between ${time.format(first)} and ${time.format(last)}, at most ${most} in ${span(width)}.`;
    const key = (decision) => element('li', {}, drawn('svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' }, drawn('rect', { width: 10, height: 10, class: `fill-${decision}` })), WORDS[decision]);
    const end = start + slots * width;
    chart.replaceChildren(
      element('ul', { class: 'legend' }, ...used.map(key), element('li', { class: 'quiet', textContent: `highest: ${most} in ${span(width)}` })),
      drawn('svg', { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...grid, ...bars, drawn('line', { x1: 0, x2: w, y1: h, y2: h, class: 'axis' })),
      element('p', { class: 'scale quiet', 'aria-hidden': 'true' }, ...[start, (start + end) / 2, end].map((at) => element('span', { textContent: time.format(at) }))),
    );
    const numbers = columns.map((column, at) => [exactTime.format(start + at * width), ...used.map((decision) => column[decision] ?? 0)]).filter((row) => row.slice(1).some(Boolean));
    $('over-time-numbers').replaceChildren(table(['from', ...used.map((decision) => WORDS[decision])], numbers));
  }

  /** The first column is text, the others are numbers or elements. */
  function table(heads, body) {
    const head = element('tr', {}, ...heads.map((text, at) => (text === '' ? element('td') : element('th', { scope: 'col', class: at > 0 ? 'number' : undefined, textContent: text }))));
    const lines = body.map((row) => element('tr', {}, ...row.map((cell, at) => {
      const td = element('td', { class: at === 0 ? 'name' : cell instanceof Node ? 'bar' : 'number' });
      td.append(cell instanceof Node ? cell : String(cell));
      return td;
    })));
    return element('table', {}, element('thead', {}, head), element('tbody', {}, ...lines));
  }

  function bars(...parts) {
    return drawn('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...parts.filter(([, length]) => length > 0).map(([from, length, kind]) => drawn('rect', { x: from * 100, width: Math.max(length * 100, 0.8), height: 10, class: `fill-${kind}` })));
  }

  function showHooks() {
    const deciding = new Map();
    for (const { hook, decision } of decisions) {
      if (decision === 'allow' || !hook) continue;
      if (!deciding.has(hook)) deciding.set(hook, {});
      const kinds = deciding.get(hook);
      kinds[kindOf(decision)] = (kinds[kindOf(decision)] ?? 0) + 1;
    }
    const sum = (kinds) => Object.values(kinds).reduce((all, value) => all + value, 0);
    const sorted = [...deciding].map(([hook, kinds]) => [hook, kinds, sum(kinds)]).sort((a, b) => b[2] - a[2]);
    const most = sorted[0]?.[2] ?? 1;
    const stacked = (kinds) => {
      let from = 0;
      return bars(...DECISIONS.filter((kind) => kinds[kind]).map((kind) => {
        const part = [from, kinds[kind] / most, kind];
        from += kinds[kind] / most;
        return part;
      }));
    };
    const named = (hook) => element('button', { type: 'button', class: 'plain', textContent: hook, onclick: () => choose({ text: hook }) });
    const lines = sorted.slice(0, MOST_HOOKS).map(([hook, kinds, times]) => [named(hook), stacked(kinds), times]);
    const rest = sorted.slice(MOST_HOOKS);
    if (rest.length > 0) lines.push([`${counted(rest.length, 'other')}`, '', rest.reduce((all, [, , times]) => all + times, 0)]);
    $('by-hook').replaceChildren(sorted.length === 0
      ? element('p', { class: 'quiet', textContent: 'No rule or hook stopped, asked or changed anything.' })
      : table(['rule or hook', '', 'times'], lines));

    const times = new Map();
    for (const [hook, duration] of data.hookCalls) {
      if (!times.has(hook)) times.set(hook, []);
      times.get(hook).push(duration);
    }
    const costs = [...times].map(([hook, list]) => {
      list.sort((a, b) => a - b);
      return { hook: safe(String(hook)), runs: list.length, p50: quantile(list, 0.5), p95: quantile(list, 0.95) };
    }).sort((a, b) => b.p95 - a.p95).slice(0, MOST_HOOKS);
    const longest = costs[0]?.p95 || 1;
    $('cost').replaceChildren(costs.length === 0
      ? element('p', { class: 'quiet', textContent: 'No hook was started: rules are decided without a process.' })
      : table(['hook', '', 'runs', 'p50', 'p95'], costs.map(({ hook, runs, p50, p95 }) => [hook, bars([0, p50 / longest, 'changed'], [p50 / longest, (p95 - p50) / longest, 'allow']), runs.toLocaleString(), milliseconds(p50), milliseconds(p95)])));
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
    const lines = all.slice(0, shownSessions).map((session) => {
      const [last, first] = [session.entries[0].at, session.entries.at(-1).at];
      const length = Math.max(last - first, 1);
      const counts = new Map(count(session.entries, (entry) => kindOf(entry.decision)));
      const spoken = DECISIONS.filter((decision) => counts.has(decision)).map((decision) => `${counts.get(decision).toLocaleString()} ${WORDS[decision]}`).join(', ');
      // What was stopped is drawn last, over the rest.
      const drawnFirst = session.entries.slice(0, MOST_TICKS).sort((a, b) => (a.decision === 'allow' ? 0 : 1) - (b.decision === 'allow' ? 0 : 1));
      const ticks = drawnFirst.map((entry) => {
        const loud = entry.decision !== 'allow';
        return drawn('rect', { x: ((entry.at - first) / length) * 994, y: loud ? 2 : 7, width: loud ? 5 : 2.5, height: loud ? 20 : 10, class: `fill-${kindOf(entry.decision)}` });
      });
      const show = element('button', { type: 'button', class: 'plain', textContent: session.agent, 'aria-label': `Show the decisions of ${session.agent}, ${time.format(first)}`, onclick: () => choose({ agent: session.agent, session: session.id }) });
      const line = drawn('svg', { viewBox: '0 0 1000 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': `Timeline: ${spoken}` }, drawn('line', { x1: 0, x2: 1000, y1: 12, y2: 12, class: 'axis' }), ...ticks);
      return element('li', {}, show,
        element('span', { class: 'project', textContent: session.project ?? '', title: session.project ?? '' }),
        element('span', { class: 'quiet when', textContent: `${dayTime.format(first)}, ${span(length)}` }),
        element('span', { class: 'timeline' }, line),
        element('span', { class: 'quiet what', textContent: spoken, title: spoken }));
    });
    $('sessions').replaceChildren(...(lines.length === 0 ? [element('li', { class: 'quiet', textContent: 'No session in this period.' })] : lines));
    $('more-sessions').hidden = all.length <= shownSessions;
  }

  /** Shows the decisions with these values of the filters, and no other. */
  function choose(values) {
    $('filters').reset();
    for (const [id, value] of Object.entries(values)) {
      if ($(id).tagName === 'SELECT') select($(id), value);
      else $(id).value = value;
    }
    filterChanged();
    $('decisions').focus({ preventScroll: true });
    $('decisions').scrollIntoView();
  }

  function select(list, value) {
    if (![...list.options].some((option) => option.value === value)) list.append(element('option', { value, textContent: value }));
    list.value = value;
  }

  function showFilters() {
    const fill = (id, key, word = (value) => value) => {
      const list = $(id);
      const options = [['', 'all'], ...count(decisions, key).slice(0, MOST_OPTIONS).map(([value, times]) => [value, `${word(value)} (${times.toLocaleString()})`])];
      const known = new Map([...list.options].map((option) => [option.value, option]));
      const chosen = list.value;
      sync(list, options.map(([value, textContent]) => {
        const option = known.get(value) ?? element('option', { value });
        if (option.textContent !== textContent) option.textContent = textContent;
        return option;
      }));
      select(list, chosen);
    };
    fill('agent', (entry) => entry.agent);
    fill('project', (entry) => entry.project);
    fill('decision', (entry) => entry.decision, (decision) => WORDS[decision] ?? decision);
    fill('session', (entry) => entry.sessionId, (id) => (id.length > 14 ? `${id.slice(0, 13)}…` : id));
  }

  function filtered() {
    const words = $('text').value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = { agent: $('agent').value, project: $('project').value, decision: $('decision').value, sessionId: $('session').value };
    const chosen = Object.entries(wanted).filter(([, value]) => value !== '');
    return decisions.filter((entry) => chosen.every(([key, value]) => entry[key] === value) && words.every((word) => entry.haystack.includes(word)));
  }

  function showList() {
    const found = filtered();
    $('count').textContent = `${found.length.toLocaleString()} of ${counted(decisions.length, 'decision')}`;
    const visible = found.slice(0, shown);
    const kept = new Set(visible.map((entry) => entry.id));
    for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
    sync($('list'), visible.map(row));
    $('more').hidden = found.length <= shown;
  }

  function row(entry) {
    if (rows.has(entry.id)) return rows.get(entry.id);
    const details = element('details', {}, element('summary', {},
      element('time', { dateTime: entry.timestamp, textContent: rowTime.format(entry.at) }),
      element('span', { class: 'agent', textContent: entry.agent ?? '' }),
      pill(entry.decision),
      element('span', { class: 'tool', textContent: entry.tool ?? entry.event }),
      element('code', { class: 'summary', textContent: entry.summary ?? '' }),
      element('span', { class: 'hook', textContent: entry.hook ?? '' })));
    details.addEventListener('toggle', () => {
      if (details.childElementCount === 1) details.append(element('div', { class: 'body' }, ...body(entry)));
    });
    const made = element('li', { class: 'row' }, details);
    rows.set(entry.id, made);
    return made;
  }

  function body(entry) {
    const list = element('dl');
    const add = (name, value) => {
      if (value === undefined || value === null || value === '') return;
      list.append(element('dt', { textContent: name }), element('dd', { textContent: String(value) }));
    };
    add('reason', entry.reason);
    add('decided by', entry.hook);
    add('in', entry.source);
    add('cause', entry.blockCause === 'failure' ? 'the guard failed, so the call was refused' : undefined);
    add('event', entry.tool ? `${entry.event}, ${entry.tool}` : entry.event);
    add('project', entry.project);
    add('session', entry.sessionId);
    add('time', `${exactTime.format(entry.at)}, took ${milliseconds(entry.durationMs)}`);
    const parts = [list];
    for (const [name, change] of Object.entries(entry.changes ?? {})) {
      parts.push(element('h3', { textContent: `Changed: ${safe(name)}` }), difference(text(change?.old), text(change?.new)));
    }
    parts.push(steps(entry));
    return parts;
  }

  function text(value) {
    if (value === undefined || value === null) return '';
    return safe(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
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

  /** Commands to copy. Only ids, and names of shipped rules, get into a command line; never other text of the log. */
  function steps(entry) {
    const isPlain = (word) => typeof word === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,80}$/.test(word);
    const commands = {
      test: ['Keep it as a test', `hookrail fire --from-log ${entry.id} --save-test call-${entry.id.slice(0, 8)}`],
      except: ['Except this command from the rule', `hookrail rules except ${entry.id}`],
      allow: ['Let a blocked call pass once', 'hookrail allow'],
      rule: ['Read the rule', `hookrail rules ${entry.hook}`],
      session: ['Everything of this session', `hookrail log --session ${entry.sessionId}`],
    };
    const offered = (entry.next ?? []).filter((word) => word !== 'rule' || isPlain(entry.hook));
    if (isPlain(entry.sessionId)) offered.push('session');
    const list = offered.map((word) => commands[word]).filter(Boolean).map(([label, command]) => {
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
    const to = data.live ? 'now' : time.format(Date.parse(data.until));
    $('period').textContent = `${time.format(Date.parse(data.since))} – ${to}`;
    $('version').textContent = `hookrail ${data.version}`;
    showCoverage();
    showTotals();
    showOverTime();
    showHooks();
    showSessions();
    showFilters();
    showList();
  }

  /** Asks for what is new. A tab that nobody looks at asks seldom. */
  async function update() {
    let pause = document.hidden ? 5000 : 1000;
    try {
      const answer = await fetch(`updates?after=${data.cursor}`, { cache: 'no-store' });
      if (!answer.ok) throw new Error(String(answer.status));
      const news = await answer.json();
      if (news.reload) {
        location.reload();
        return;
      }
      setLive('live', 'Live: updates while agents work');
      const isCoverageNew = JSON.stringify(news.coverage) !== JSON.stringify(data.coverage);
      Object.assign(data, { cursor: news.cursor, coverage: news.coverage, until: news.until });
      if (news.decisions.length > 0 || news.hookCalls.length > 0 || isCoverageNew) {
        data.hookCalls = [...data.hookCalls, ...news.hookCalls].slice(-data.most);
        decisions = [...news.decisions.map(prepared), ...decisions].sort((a, b) => b.at - a.at).slice(0, data.most);
        showEverything();
      }
      if (news.more) pause = 0;
    } catch {
      setLive('live off', 'Not connected: the report has ended, or does not answer');
    }
    setTimeout(update, pause);
  }

  function setLive(kind, words) {
    const line = $('live');
    line.hidden = false;
    line.className = kind;
    if (line.textContent !== words) line.textContent = words;
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
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      $('text').focus();
    }
  });

  showEverything();
  if (data.live) update();
})();
