import type { table as english } from '../en/table.ts';
import type { Translated } from '../translated.ts';

export const table: Translated<typeof english> = {
  'table.label': 'Tabela de {board}',
  'table.selected': 'Selecionado',
  'table.open': 'Abrir {title}',
  'table.nobody': 'Ninguém',
  'table.noValue': 'Sem valor',
  'table.titleNeeded': 'O cartão precisa de um título',
  'table.group': 'Agrupar por',
  'table.noGroup': 'Sem grupos',
  'table.columns': 'Colunas',
  'table.tooMany': 'No máximo {count} células de uma vez',
  'table.notLoaded': 'Algumas dessas linhas ainda estão carregando. Tente de novo em instantes.',
  'table.emptied.one': '{count} célula foi esvaziada',
  'table.emptied.other': '{count} células foram esvaziadas',
  'table.paste.done.one': '{count} célula foi alterada',
  'table.paste.done.other': '{count} células foram alteradas',
  'table.paste.none': 'Nada foi colado',
  'table.paste.noRoom':
    '{rows} linhas e {columns} colunas não cabem aqui. Escolha uma célula mais acima ou mais à esquerda.',
  'table.paste.wrong': '“{value}” não serve para {field}',
  'table.paste.more.one': 'e mais {count}',
  'table.paste.more.other': 'e mais {count}',
  'table.keys.edit': 'Editar a célula',
  'table.keys.extend': 'Selecionar várias células',
  'table.keys.copy': 'Copiar as células',
  'table.keys.paste': 'Colar células',
  'table.keys.empty': 'Esvaziar as células',
};
