/** What the chat says, in the visitor's language. */
import type { WidgetLanguage } from '../../contract/widget/widget-protocol.ts';
import { type ServiceTexts, serviceTexts } from './service/service-texts.ts';

const en = {
  greeting: 'Hi! How can we help you?',
  assistantHere: 'The assistant answers right away',
  assistantNamed: '{name} (assistant) answers right away',
  humanHere: 'A person from the team is here',
  humanNamed: '{name} from the team is here',
  waiting: 'A person will be with you soon',
  waitingClosed: 'A person will reply when the team is back',
  assistant: 'Assistant',
  team: 'Team',
  close: 'Close chat',
  messages: 'Messages',
  earlier: 'Show earlier messages',
  write: 'Write a message',
  send: 'Send',
  attach: 'Attach a file',
  record: 'Record a voice message',
  stop: 'Stop and send the voice message',
  cancel: 'Discard the voice message',
  recording: 'Recording',
  noMicrophone: 'The microphone cannot be used here.',
  offline: 'You are offline. Your messages are sent as soon as you are back.',
  connecting: 'Connecting…',
  unreachable: 'The chat cannot be reached right now.',
  retry: 'Try again',
  discard: 'Discard',
  notSent: 'Not sent',
  sending: 'Sending',
  sent: 'Sent',
  seen: 'Seen',
  typing: '{name} is typing',
  someoneTyping: 'Someone is typing',
  react: 'React',
  removeReaction: 'Remove {emoji}',
  newMessages: 'New messages',
  today: 'Today',
  yesterday: 'Yesterday',
  voice: 'Voice message',
  play: 'Play',
  pause: 'Pause',
  you: 'You',
  tooLarge: 'This file is too large: 10 MB is the limit.',
  writeFirst: 'Write a message first, then you can send files.',
  filesLimit: 'Files cannot be sent right now.',
  noSpace: 'Files cannot be stored right now.',
  notAllowed: 'Files of this type cannot be sent.',
  deleted: 'This message is no longer available',
  openOriginal: 'Open original',
  sources: 'Sources',
  articles: 'Articles that may help',
  searchArticles: 'Search the help center',
};
type Texts = typeof en;

const pt: Texts = {
  greeting: 'Olá! Como podemos ajudar?',
  assistantHere: 'O assistente responde na hora',
  assistantNamed: '{name} (assistente) responde na hora',
  humanHere: 'Uma pessoa da equipe está aqui',
  humanNamed: '{name}, da equipe, está aqui',
  waiting: 'Uma pessoa já vai falar com você',
  waitingClosed: 'Uma pessoa responde quando a equipe voltar',
  assistant: 'Assistente',
  team: 'Equipe',
  close: 'Fechar o chat',
  messages: 'Mensagens',
  earlier: 'Mostrar mensagens anteriores',
  write: 'Escreva uma mensagem',
  send: 'Enviar',
  attach: 'Anexar um arquivo',
  record: 'Gravar uma mensagem de voz',
  stop: 'Parar e enviar a mensagem de voz',
  cancel: 'Descartar a mensagem de voz',
  recording: 'Gravando',
  noMicrophone: 'Não é possível usar o microfone aqui.',
  offline: 'Você está sem conexão. As mensagens serão enviadas assim que ela voltar.',
  connecting: 'Conectando…',
  unreachable: 'O chat não está disponível agora.',
  retry: 'Tentar de novo',
  discard: 'Descartar',
  notSent: 'Não enviada',
  sending: 'Enviando',
  sent: 'Enviada',
  seen: 'Vista',
  typing: '{name} está escrevendo',
  someoneTyping: 'Alguém está escrevendo',
  react: 'Reagir',
  removeReaction: 'Remover {emoji}',
  newMessages: 'Novas mensagens',
  today: 'Hoje',
  yesterday: 'Ontem',
  voice: 'Mensagem de voz',
  play: 'Ouvir',
  pause: 'Pausar',
  you: 'Você',
  tooLarge: 'Este arquivo é grande demais: o limite é 10 MB.',
  writeFirst: 'Escreva uma mensagem primeiro; depois você pode enviar arquivos.',
  filesLimit: 'Não é possível enviar arquivos agora.',
  noSpace: 'Não é possível guardar arquivos agora.',
  notAllowed: 'Não é possível enviar arquivos deste tipo.',
  deleted: 'Esta mensagem não está mais disponível',
  openOriginal: 'Abrir original',
  sources: 'Fontes',
  articles: 'Artigos que podem ajudar',
  searchArticles: 'Buscar na central de ajuda',
};

const es: Texts = {
  greeting: '¡Hola! ¿En qué podemos ayudarte?',
  assistantHere: 'El asistente responde al momento',
  assistantNamed: '{name} (asistente) responde al momento',
  humanHere: 'Una persona del equipo está aquí',
  humanNamed: '{name}, del equipo, está aquí',
  waiting: 'Una persona te atenderá enseguida',
  waitingClosed: 'Una persona responderá cuando vuelva el equipo',
  assistant: 'Asistente',
  team: 'Equipo',
  close: 'Cerrar el chat',
  messages: 'Mensajes',
  earlier: 'Mostrar mensajes anteriores',
  write: 'Escribe un mensaje',
  send: 'Enviar',
  attach: 'Adjuntar un archivo',
  record: 'Grabar un mensaje de voz',
  stop: 'Detener y enviar el mensaje de voz',
  cancel: 'Descartar el mensaje de voz',
  recording: 'Grabando',
  noMicrophone: 'Aquí no se puede usar el micrófono.',
  offline: 'No tienes conexión. Tus mensajes se enviarán en cuanto vuelva.',
  connecting: 'Conectando…',
  unreachable: 'El chat no está disponible ahora.',
  retry: 'Reintentar',
  discard: 'Descartar',
  notSent: 'No enviado',
  sending: 'Enviando',
  sent: 'Enviado',
  seen: 'Visto',
  typing: '{name} está escribiendo',
  someoneTyping: 'Alguien está escribiendo',
  react: 'Reaccionar',
  removeReaction: 'Quitar {emoji}',
  newMessages: 'Mensajes nuevos',
  today: 'Hoy',
  yesterday: 'Ayer',
  voice: 'Mensaje de voz',
  play: 'Escuchar',
  pause: 'Pausar',
  you: 'Tú',
  tooLarge: 'Este archivo es demasiado grande: el límite es 10 MB.',
  writeFirst: 'Escribe primero un mensaje; después podrás enviar archivos.',
  filesLimit: 'Ahora no se pueden enviar archivos.',
  noSpace: 'Ahora no se pueden guardar archivos.',
  notAllowed: 'No se pueden enviar archivos de este tipo.',
  deleted: 'Este mensaje ya no está disponible',
  openOriginal: 'Abrir original',
  sources: 'Fuentes',
  articles: 'Artículos que pueden ayudar',
  searchArticles: 'Buscar en el centro de ayuda',
};

type AllTexts = Texts & ServiceTexts;
const own: { [language in WidgetLanguage]: Texts } = { en, pt, es };
let current: AllTexts = { ...en, ...serviceTexts.en };
/** With the visitor's own region where it is one of the language: a clock of 24 hours stays one. */
let language = 'en';

export function speak(wanted: WidgetLanguage): void {
  language = navigator.languages.find((one) => one.startsWith(wanted)) ?? wanted;
  current = { ...own[wanted], ...serviceTexts[wanted] };
  document.documentElement.lang = wanted;
}

export const spoken = () => document.documentElement.lang as WidgetLanguage;

export function t(key: keyof AllTexts, params: { [name: string]: string } = {}): string {
  return current[key].replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
}

export const timeOf = (at: number) =>
  new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }).format(at);
export const fullTimeOf = (at: number) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' }).format(at);

/** By the calendar: a day on which the clocks change has 23 or 25 hours. */
function dayIn(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return date.toDateString();
}

export function dayOf(at: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date().toDateString()) return t('today');
  if (day === dayIn(-1)) return t('yesterday');
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', year: 'numeric' }).format(at);
}

/** When the team is back, by the visitor's own clock. */
export function returnText(at: number): string {
  const time = timeOf(at);
  const date = new Date(at).toDateString();
  if (date === dayIn(0)) return t('awayToday', { time });
  if (date === dayIn(1)) return t('awayTomorrow', { time });
  const isSoon = at - Date.now() < 6 * 86_400_000;
  const form = isSoon ? ({ weekday: 'long' } as const) : ({ day: 'numeric', month: 'long' } as const);
  return t(isSoon ? 'awayDay' : 'awayDate', {
    day: new Intl.DateTimeFormat(language, form).format(at),
    time,
  });
}

export function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'kilobyte'] : [bytes / 1024 / 1024, 'megabyte'];
  const style = { style: 'unit', unit, maximumFractionDigits: value < 10 ? 1 : 0 };
  return new Intl.NumberFormat(language, style as Intl.NumberFormatOptions).format(Math.max(value, 0.1));
}
