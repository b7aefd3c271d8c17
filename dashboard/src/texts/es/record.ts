// NOT YET TRANSLATED: a copy of the English part.
import type { record as english } from '../en/record.ts';
import type { Translated } from '../translated.ts';

export const record: Translated<typeof english> = {
  'record.title': 'Record',
  'record.statusIs': 'Status: {status}',
  'record.openChat': 'Open chat',
  'record.copyLink': 'Copy link',
  'record.linkCopied': 'The link was copied',
  'record.openLink': 'Open the link',
  'record.delete': 'Delete',
  'record.nobody': 'Nobody',
  'record.gone': 'Someone who has left',
  'record.field.title': 'Title',
  'record.field.status': 'Status',
  'record.field.assignees': 'Assigned to',
  'record.conversations': 'Conversations',
  'record.needsAttention': 'Needs attention',
  'record.aiPaused': 'The AI is paused',
  'record.activity': 'Activity',
  'record.activity.created': 'created this record',
  'record.activity.changed': 'changed {field}',
  'record.activity.set': 'set {field} to',
  'record.activity.cleared': 'cleared {field}',
};
