/** What other features may use of boards: their definitions and who sees them. */
export { type ChannelsOfAccount, isBoundTo, renameBinding } from './kanbans.bindings.ts';
export {
  createDefinitionsCache,
  type Definitions,
  type DefinitionsCache,
  type FieldDefinition,
  type KanbanDefinition,
  loadDefinitions,
  StaleDefinitions,
} from './kanbans.definitions.ts';
export { createField, createFieldGroup, systemField } from './kanbans.fields.ts';
export { createKanban, putMembers, type RecordsOfKanban, startAccountWithKanban } from './kanbans.manage.ts';
export { maySee, requireKanban, userMaySee, visibleTo } from './kanbans.read.ts';
export { eraseKanbans } from './kanbans.sql.ts';
