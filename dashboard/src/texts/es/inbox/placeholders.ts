import type { placeholders as english } from '../../en/inbox/placeholders.ts';
import type { Translated } from '../../translated.ts';

export const placeholders: Translated<typeof english> = {
  'placeholders.insert': 'Insertar un marcador',
  'placeholders.fields': 'Campos de la tarjeta',
  'placeholders.unknown.one': '{names} no es un marcador conocido. Queda en el texto tal como está.',
  'placeholders.unknown.other': '{names} no son marcadores conocidos. Quedan en el texto tal como están.',
};
