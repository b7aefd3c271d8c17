import type { calendar as english } from '../en/calendar.ts';
import type { Translated } from '../translated.ts';

export const calendar: Translated<typeof english> = {
  'calendar.label': 'Calendário de {board}, {period}',
  'calendar.today': 'Hoje',
  'calendar.previous': 'Anterior',
  'calendar.next': 'Próximo',
  'calendar.span': 'Período',
  'calendar.span.month': 'Mês',
  'calendar.span.week': 'Semana',
  'calendar.field': 'Campo de data',
  'calendar.more': '+{count}',
  'calendar.moreOf': 'Mais {count} em {day}',
  'calendar.add': 'Adicionar um cartão em {day}',
  'calendar.addTitle': 'Título do novo cartão',
  'calendar.moved': '{title} movido para {day}',
  'calendar.cut': 'Os primeiros {count} cartões são exibidos, até {day}. Use filtros para ver os outros.',
  'calendar.noField.title': 'Este quadro não tem campo de data',
  'calendar.noField.text':
    'O calendário mostra cada cartão no dia de um campo de data. Adicione um campo do tipo Data ou Data e hora.',
  'calendar.noField.add': 'Adicionar um campo',
  'calendar.noField.ask':
    'O calendário mostra cada cartão no dia de um campo de data. Um administrador pode adicionar um nas configurações do quadro.',
  'calendar.nothing': 'Nenhum cartão neste período',
  'calendar.keys.move': 'Mover o cartão em foco para outro dia',
  'calendar.keys.previous': 'Mês ou semana anterior',
  'calendar.keys.next': 'Próximo mês ou próxima semana',
  'calendar.keys.today': 'Ir para hoje',
  'calendar.keys.add': 'Adicionar um cartão no dia em foco',
  'calendar.keys.month': 'Mostrar um mês',
  'calendar.keys.week': 'Mostrar uma semana',
};
