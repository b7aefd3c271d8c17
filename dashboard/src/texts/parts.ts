/**
 * Every part of the texts in every language. A part is loaded in the reader's language together with the view that shows
 * it (`withTexts`); a language that was not chosen is never loaded. A module may gather several part files.
 */
import { first } from './first-part.ts';
import type { Language } from './languages.ts';

export const parts = {
  first,
  boardSettings: {
    en: () => import('./en/board-settings.ts'),
    pt: () => import('./pt/board-settings.ts'),
    es: () => import('./es/board-settings.ts'),
  },
  backups: {
    en: () => import('./en/instance/backups.ts'),
    pt: () => import('./pt/instance/backups.ts'),
    es: () => import('./es/instance/backups.ts'),
  },
  cells: {
    en: () => import('./en/instance/cells.ts'),
    pt: () => import('./pt/instance/cells.ts'),
    es: () => import('./es/instance/cells.ts'),
  },
  system: {
    en: () => import('./en/instance/system.ts'),
    pt: () => import('./pt/instance/system.ts'),
    es: () => import('./es/instance/system.ts'),
  },
  connectors: {
    en: () => import('./en/connectors.ts'),
    pt: () => import('./pt/connectors.ts'),
    es: () => import('./es/connectors.ts'),
  },
  contacts: {
    en: () => import('./en/contacts.ts'),
    pt: () => import('./pt/contacts.ts'),
    es: () => import('./es/contacts.ts'),
  },
  copilot: {
    en: () => import('./en/inbox/copilot.ts'),
    pt: () => import('./pt/inbox/copilot.ts'),
    es: () => import('./es/inbox/copilot.ts'),
  },
  emoji: {
    en: () => import('./en/inbox/emoji.ts'),
    pt: () => import('./pt/inbox/emoji.ts'),
    es: () => import('./es/inbox/emoji.ts'),
  },
  hours: {
    en: () => import('./en/hours.ts'),
    pt: () => import('./pt/hours.ts'),
    es: () => import('./es/hours.ts'),
  },
  import: {
    en: () => import('./en/import.ts'),
    pt: () => import('./pt/import.ts'),
    es: () => import('./es/import.ts'),
  },
  inbox: {
    en: () => import('./en/inbox/all-inbox.ts'),
    pt: () => import('./pt/inbox/all-inbox.ts'),
    es: () => import('./es/inbox/all-inbox.ts'),
  },
  knowledge: {
    en: () => import('./en/knowledge.ts'),
    pt: () => import('./pt/knowledge.ts'),
    es: () => import('./es/knowledge.ts'),
  },
  automation: {
    en: () => import('./en/all-automation.ts'),
    pt: () => import('./pt/all-automation.ts'),
    es: () => import('./es/all-automation.ts'),
  },
  macros: {
    en: () => import('./en/inbox/macros.ts'),
    pt: () => import('./pt/inbox/macros.ts'),
    es: () => import('./es/inbox/macros.ts'),
  },
  labels: {
    en: () => import('./en/inbox/labels.ts'),
    pt: () => import('./pt/inbox/labels.ts'),
    es: () => import('./es/inbox/labels.ts'),
  },
  calls: {
    en: () => import('./en/inbox/calls.ts'),
    pt: () => import('./pt/inbox/calls.ts'),
    es: () => import('./es/inbox/calls.ts'),
  },
  tools: {
    en: () => import('./en/tools.ts'),
    pt: () => import('./pt/tools.ts'),
    es: () => import('./es/tools.ts'),
  },
  why: {
    en: () => import('./en/inbox/why.ts'),
    pt: () => import('./pt/inbox/why.ts'),
    es: () => import('./es/inbox/why.ts'),
  },
  reports: {
    en: () => import('./en/reports.ts'),
    pt: () => import('./pt/reports.ts'),
    es: () => import('./es/reports.ts'),
  },
  notifications: {
    en: () => import('./en/notifications.ts'),
    pt: () => import('./pt/notifications.ts'),
    es: () => import('./es/notifications.ts'),
  },
  palette: {
    en: () => import('./en/palette.ts'),
    pt: () => import('./pt/palette.ts'),
    es: () => import('./es/palette.ts'),
  },
  placeholders: {
    en: () => import('./en/inbox/placeholders.ts'),
    pt: () => import('./pt/inbox/placeholders.ts'),
    es: () => import('./es/inbox/placeholders.ts'),
  },
  signIn: {
    en: () => import('./en/sign-in/sign-in.ts'),
    pt: () => import('./pt/sign-in/sign-in.ts'),
    es: () => import('./es/sign-in/sign-in.ts'),
  },
  start: {
    en: () => import('./en/start.ts'),
    pt: () => import('./pt/start.ts'),
    es: () => import('./es/start.ts'),
  },
  calendar: {
    en: () => import('./en/calendar.ts'),
    pt: () => import('./pt/calendar.ts'),
    es: () => import('./es/calendar.ts'),
  },
  order: {
    en: () => import('./en/order.ts'),
    pt: () => import('./pt/order.ts'),
    es: () => import('./es/order.ts'),
  },
  table: {
    en: () => import('./en/table.ts'),
    pt: () => import('./pt/table.ts'),
    es: () => import('./es/table.ts'),
  },
  tasks: {
    en: () => import('./en/tasks.ts'),
    pt: () => import('./pt/tasks.ts'),
    es: () => import('./es/tasks.ts'),
  },
  security: {
    en: () => import('./en/sign-in/security.ts'),
    pt: () => import('./pt/sign-in/security.ts'),
    es: () => import('./es/sign-in/security.ts'),
  },
  settings: {
    en: () => import('./en/all-settings.ts'),
    pt: () => import('./pt/all-settings.ts'),
    es: () => import('./es/all-settings.ts'),
  },
  unsent: {
    en: () => import('./en/unsent.ts'),
    pt: () => import('./pt/unsent.ts'),
    es: () => import('./es/unsent.ts'),
  },
} satisfies { [part: string]: { [language in Language]: () => Promise<object> } };

export type PartName = keyof typeof parts;
type EnglishModule = { [part in PartName]: Awaited<ReturnType<(typeof parts)[part]['en']>> }[PartName];
type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
type Together<U> = (U extends unknown ? (part: U) => void : never) extends (part: infer All) => void
  ? All
  : never;
/** Each key with its English text, of which the parameters of `t` are read. */
export type English = Together<ValuesOf<EnglishModule>>;
