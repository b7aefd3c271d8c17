import type { calendar as english } from '../en/calendar.ts';
import type { Translated } from '../translated.ts';

export const calendar: Translated<typeof english> = {
  'calendar.label': 'Calendario de {board}, {period}',
  'calendar.today': 'Hoy',
  'calendar.previous': 'Anterior',
  'calendar.next': 'Siguiente',
  'calendar.span': 'Período',
  'calendar.span.month': 'Mes',
  'calendar.span.week': 'Semana',
  'calendar.field': 'Campo de fecha',
  'calendar.more': '+{count}',
  'calendar.moreOf': '{count} más el {day}',
  'calendar.add': 'Agregar una tarjeta el {day}',
  'calendar.addTitle': 'Título de la nueva tarjeta',
  'calendar.moved': '{title} se movió al {day}',
  'calendar.cut':
    'Se muestran las primeras {count} tarjetas, hasta el {day}. Usa filtros para ver las demás.',
  'calendar.noField.title': 'Este tablero no tiene ningún campo de fecha',
  'calendar.noField.text':
    'El calendario muestra cada tarjeta en el día de un campo de fecha. Agrega un campo de tipo Fecha o Fecha y hora.',
  'calendar.noField.add': 'Agregar un campo',
  'calendar.noField.ask':
    'El calendario muestra cada tarjeta en el día de un campo de fecha. Un administrador puede agregar uno en la configuración del tablero.',
  'calendar.nothing': 'No hay tarjetas en este período',
  'calendar.keys.move': 'Mover la tarjeta enfocada a otro día',
  'calendar.keys.previous': 'Mes o semana anterior',
  'calendar.keys.next': 'Mes o semana siguiente',
  'calendar.keys.today': 'Ir a hoy',
  'calendar.keys.add': 'Agregar una tarjeta en el día enfocado',
  'calendar.keys.month': 'Mostrar un mes',
  'calendar.keys.week': 'Mostrar una semana',
};
