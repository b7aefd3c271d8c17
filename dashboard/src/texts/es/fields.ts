import type { fields as english } from '../en/fields.ts';
import type { Translated } from '../translated.ts';

export const fields: Translated<typeof english> = {
  'fields.yes': 'Sí',
  'fields.no': 'No',
  'fields.empty': 'Vacío',
  'fields.choose': 'Elegir…',
  'fields.notNumber': 'No es un número',
  'fields.type.text': 'Texto',
  'fields.type.textarea': 'Texto largo',
  'fields.type.number': 'Número',
  'fields.type.currency': 'Moneda',
  'fields.type.date': 'Fecha',
  'fields.type.datetime': 'Fecha y hora',
  'fields.type.select': 'Opción',
  'fields.type.multiselect': 'Varias opciones',
  'fields.type.boolean': 'Sí o no',
  'fields.type.email': 'Correo electrónico',
  'fields.type.phone': 'Teléfono',
  'fields.type.url': 'Enlace',
};
