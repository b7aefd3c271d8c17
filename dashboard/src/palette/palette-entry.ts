import type { ReactNode } from 'react';
import type { Permission } from '../../../contract/roles/permissions.ts';
import { type Fit, fit, type Range } from './palette-match.ts';

export type PaletteGroup =
  | 'recent'
  | 'page'
  | 'records'
  | 'contacts'
  | 'conversations'
  | 'messages'
  | 'boards'
  | 'go'
  | 'settings'
  | 'actions';

export interface PaletteEntry {
  id: string;
  group: PaletteGroup;
  icon: ReactNode;
  label: string;
  marks?: readonly Range[];
  /** At the right, such as its board and status. */
  detail?: string;
  /** What matched, where that is not the label. */
  found?: { name: string; value: string; marks: readonly Range[] };
  keys?: string;
  /** Synonyms. */
  words?: string;
  run(): void;
}

/** Those that fit, best first within their groups. Words besides the label count, but are not marked. */
export function fitting(
  entries: readonly PaletteEntry[],
  query: readonly string[],
): { entry: PaletteEntry; typos: number }[] {
  if (query.length === 0) return entries.map((entry) => ({ entry, typos: 0 }));
  return entries
    .flatMap((entry) => {
      const own = fit(query, entry.label);
      const wide: Fit | null = own ?? (entry.words ? fit(query, `${entry.label} ${entry.words}`) : null);
      if (!wide) return [];
      const marks = wide.ranges.filter(([, to]) => to <= entry.label.length);
      const distance = wide.distance + (own ? 0 : 5);
      return [{ entry: { ...entry, marks }, typos: wide.typos, distance }];
    })
    .sort((a, b) => a.typos - b.typos || a.distance - b.distance);
}

/** The permission that a page, or a group of what is found, asks for. */
export const neededBy: Readonly<Record<string, Permission>> = {
  inbox: 'conversations.view',
  tasks: 'records.view',
  contacts: 'conversations.view',
  knowledge: 'knowledge.view',
  reports: 'reports.view',
  records: 'records.view',
  conversations: 'conversations.view',
  messages: 'conversations.view',
};
