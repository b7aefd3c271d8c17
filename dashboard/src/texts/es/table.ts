import type { table as english } from '../en/table.ts';
import type { Translated } from '../translated.ts';

export const table: Translated<typeof english> = {
  'table.label': 'Tabla de {board}',
  'table.selected': 'Seleccionado',
  'table.open': 'Abrir {title}',
  'table.nobody': 'Nadie',
  'table.noValue': 'Sin valor',
  'table.titleNeeded': 'La tarjeta necesita un título',
  'table.group': 'Agrupar por',
  'table.noGroup': 'Sin grupos',
  'table.columns': 'Columnas',
  'table.tooMany': 'Como máximo {count} celdas a la vez',
  'table.notLoaded': 'Algunas de estas filas aún se están cargando. Inténtalo de nuevo en un momento.',
  'table.emptied.one': 'Se vació {count} celda',
  'table.emptied.other': 'Se vaciaron {count} celdas',
  'table.paste.done.one': 'Se cambió {count} celda',
  'table.paste.done.other': 'Se cambiaron {count} celdas',
  'table.paste.none': 'No se pegó nada',
  'table.paste.noRoom':
    '{rows} filas y {columns} columnas no caben aquí. Elige una celda más arriba o más a la izquierda.',
  'table.paste.wrong': '“{value}” no sirve para {field}',
  'table.paste.more.one': 'y {count} más',
  'table.paste.more.other': 'y {count} más',
  'table.keys.edit': 'Editar la celda',
  'table.keys.extend': 'Seleccionar varias celdas',
  'table.keys.copy': 'Copiar las celdas',
  'table.keys.paste': 'Pegar celdas',
  'table.keys.empty': 'Vaciar las celdas',
};
