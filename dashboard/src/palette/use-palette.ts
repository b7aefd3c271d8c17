/** The entries of the palette for the typed text, in groups. */
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { fitting, neededBy, type PaletteEntry, type PaletteGroup } from './palette-entry.ts';
import { type PaletteActions, useFixedEntries } from './palette-fixed.tsx';
import { useFound } from './palette-found.tsx';
import { wordsOf } from './palette-match.ts';
import { useRecentEntries } from './palette-recent.tsx';

const titles: { [group in PaletteGroup]: () => string } = {
  recent: () => t('palette.recent'),
  page: () => t('palette.page'),
  records: () => t('palette.records'),
  contacts: () => t('palette.contacts'),
  conversations: () => t('palette.conversations'),
  messages: () => t('palette.messages'),
  boards: () => t('palette.boards'),
  go: () => t('palette.go'),
  settings: () => t('rail.settings'),
  actions: () => t('palette.actions'),
};

/** `>` what can be done, `#` boards, `@` customers. */
const prefixes: { [sign: string]: readonly PaletteGroup[] } = {
  '>': ['page', 'actions', 'settings', 'go'],
  '#': ['boards'],
  '@': ['contacts', 'conversations', 'messages'],
};

const shownAtFirst: readonly PaletteGroup[] = ['page', 'go', 'boards', 'actions'];

export function usePalette(text: string, acts: PaletteActions) {
  const only = prefixes[text.charAt(0)];
  const rest = (only ? text.slice(1) : text).trim();
  const query = wordsOf(rest);
  const { permissions } = useSignedIn().user;
  const wants = (group: PaletteGroup) =>
    (only ? only.includes(group) : true) && (!(group in neededBy) || permissions.includes(neededBy[group]!));
  const recent = useRecentEntries();
  const fixed = useFixedEntries(acts);
  const found = useFound(rest, {
    records: wants('records'),
    contacts: wants('contacts'),
    sessions: wants('conversations'),
    messages: wants('messages'),
  });
  const isEmpty = query.length === 0;
  const fits = fitting(
    fixed.filter(({ group }) => wants(group) && (!isEmpty || only || shownAtFirst.includes(group))),
    query,
  );
  // Exact matches come first and stay in place while results arrive, so that Enter runs what was seen.
  const sure = fits.filter(({ typos }) => typos === 0).map(({ entry }) => entry);
  const unsure = fits.filter(({ typos }) => typos > 0).map(({ entry }) => entry);
  const ordered = [...(isEmpty && !only ? recent : []), ...sure, ...found.entries, ...unsure];
  const groups: { id: PaletteGroup; title: string; entries: PaletteEntry[] }[] = [];
  for (const entry of ordered) {
    const group = groups.find(({ id }) => id === entry.group);
    if (group) group.entries.push(entry);
    else groups.push({ id: entry.group, title: titles[entry.group](), entries: [entry] });
  }
  return { groups, isWaiting: found.isWaiting, error: found.error };
}
