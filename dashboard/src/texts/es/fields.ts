// NOT YET TRANSLATED: a copy of the English part.
import type { fields as english } from '../en/fields.ts';
import type { Translated } from '../translated.ts';

export const fields: Translated<typeof english> = {
  'fields.yes': 'Yes',
  'fields.no': 'No',
  'fields.empty': 'Empty',
  'fields.add': 'Add {name}',
  'fields.choose': 'Choose …',
  'fields.notNumber': 'Not a number',
  'fields.type.text': 'Text',
  'fields.type.textarea': 'Long text',
  'fields.type.number': 'Number',
  'fields.type.currency': 'Currency',
  'fields.type.date': 'Date',
  'fields.type.datetime': 'Date and time',
  'fields.type.select': 'Choice',
  'fields.type.multiselect': 'Several choices',
  'fields.type.boolean': 'Yes or no',
  'fields.type.email': 'E-mail',
  'fields.type.phone': 'Phone',
  'fields.type.url': 'Link',
};
