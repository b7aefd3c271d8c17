import type { fields as english } from '../en/fields.ts';
import type { Translated } from '../translated.ts';

export const fields: Translated<typeof english> = {
  'fields.yes': 'Sim',
  'fields.no': 'Não',
  'fields.empty': 'Vazio',
  'fields.choose': 'Escolher…',
  'fields.notNumber': 'Não é um número',
  'fields.type.text': 'Texto',
  'fields.type.textarea': 'Texto longo',
  'fields.type.number': 'Número',
  'fields.type.currency': 'Moeda',
  'fields.type.date': 'Data',
  'fields.type.datetime': 'Data e hora',
  'fields.type.select': 'Opção',
  'fields.type.multiselect': 'Várias opções',
  'fields.type.boolean': 'Sim ou não',
  'fields.type.email': 'E-mail',
  'fields.type.phone': 'Telefone',
  'fields.type.url': 'Link',
};
