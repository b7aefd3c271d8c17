import type { notifications as english } from '../en/notifications.ts';
import type { Translated } from '../translated.ts';

export const notifications: Translated<typeof english> = {
  'notify.open': 'Abrir',
  'notify.handover': 'O assistente pediu uma pessoa.',
  'notify.attention': 'Esta conversa precisa de uma pessoa.',
  'notify.file': 'Enviou um arquivo',
  'notify.webhook': 'Um webhook foi desativado',
  'notify.allRead': 'Marcar tudo como lido',
  'notify.settings': 'Configurações de notificações',
  'notify.failed': 'Não foi possível marcar as notificações',
  'notify.empty': 'Nenhuma notificação',
  'notify.emptyText': 'Mensagens à sua espera, menções e conversas passadas a você aparecem aqui.',
  'notify.count': '{count} no total',
  'notify.new': 'não lida',

  'notifications.text': 'Como você é avisado quando não está olhando.',
  'notifications.kinds': 'Sobre o que você é avisado',
  'notifications.kindsText':
    'Página: na lista do sino e em um canto da página. Push: nos navegadores que você permitir abaixo. Som: um som curto enquanto houver uma página aberta.',
  'notifications.what': 'O quê',
  'notifications.way.page': 'Página',
  'notifications.way.push': 'Push',
  'notifications.way.sound': 'Som',
  'notifications.cell': '{topic}: {way}',
  'notifications.failed': 'Não foi possível salvar',
  'notifications.topic.message_mine': 'Mensagens nas minhas conversas',
  'notifications.topic.message_mine.text':
    'Um cliente escreve em uma conversa atribuída a você, ou cujo cartão está atribuído a você.',
  'notifications.topic.message_waiting': 'Mensagens à espera de uma pessoa',
  'notifications.topic.message_waiting.text':
    'A IA está pausada, e nem a conversa nem o cartão têm responsável.',
  'notifications.topic.message_any': 'Todas as outras mensagens',
  'notifications.topic.message_any.text': 'Também enquanto a IA ou um colega responde.',
  'notifications.topic.handover': 'Pedidos de atendimento humano',
  'notifications.topic.handover.text': 'A IA pede que uma pessoa assuma.',
  'notifications.topic.attention': 'Conversas que precisam de atenção',
  'notifications.topic.attention.text': 'Uma resposta foi retida ou não pôde ser gerada.',
  'notifications.topic.mention': 'Menções',
  'notifications.topic.mention.text': 'Um colega menciona você em uma nota.',
  'notifications.topic.assigned': 'Atribuições',
  'notifications.topic.assigned.text': 'Uma conversa é atribuída a você por um colega ou automaticamente.',
  'notify.assigned': 'Atribuiu esta conversa a você.',
  'notify.autoAssigned': 'Esta conversa foi atribuída a você automaticamente.',
  'notifications.topic.webhook_disabled': 'Webhooks desativados',
  'notifications.topic.webhook_disabled.text':
    'Um endpoint falhou por tanto tempo que nada mais é enviado a ele.',
  'notifications.quiet': 'Horário de silêncio',
  'notifications.quietText': 'Sem push e sem som. As notificações continuam aparecendo na lista.',
  'notifications.quietOn': 'Silenciar neste horário',
  'notifications.from': 'Das',
  'notifications.to': 'Até',
  'notifications.zone': 'Fuso horário',
  'notifications.zoneHint': 'Agora são {time} lá.',
  'notifications.device': 'Este navegador',
  'notifications.push': 'Notificações push neste navegador',
  'notifications.pushHint':
    'Mesmo sem nenhuma janela do Talkboard aberta. Cada navegador é configurado separadamente.',
  'notifications.pushDenied':
    'Este navegador bloqueia notificações. Permita-as para este site nas configurações do navegador.',
  'notifications.pushUnavailable':
    'Este navegador não pode recebê-las aqui: a página precisa ser servida por https e o navegador precisa aceitar push.',
  'notifications.notAllowed': 'O navegador não permitiu notificações, então nada mudou',
  'notifications.test': 'Enviar uma notificação de teste',
  'notifications.tested': 'Enviada. Deve aparecer em alguns segundos.',
  'notifications.testFailed': 'Não foi possível enviar o teste',
  'notifications.hear': 'Tocar o som',
};
