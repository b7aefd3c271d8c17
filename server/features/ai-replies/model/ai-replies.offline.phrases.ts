/** The offline agent's own sentences, and the customers' sentences that it understands without any knowledge. */
import { type Language, plain, wordsOf } from '../../../platform/language.ts';

export const phrases: Record<
  Language,
  {
    greeting: string;
    welcome: string;
    nothingFound: string;
    noKnowledge: string;
    offer: string;
    handover: string;
    found: (title: string) => string;
  }
> = {
  en: {
    greeting:
      'Hello! I am an automated assistant. I answer questions from the information this team has given me.',
    welcome: "You're welcome.",
    nothingFound: "I couldn't find an answer to that.",
    noKnowledge: "I don't have any information to answer from yet.",
    offer: 'Would you like to talk to a person? Write “human” and someone will take over.',
    handover: 'I am handing this conversation over to a person. Someone will reply here.',
    found: (title) => `Here's what I found about “${title}”:`,
  },
  pt: {
    greeting: 'Olá! Sou um assistente automático. Respondo com as informações que esta equipe me passou.',
    welcome: 'De nada.',
    nothingFound: 'Não encontrei uma resposta para isso.',
    noKnowledge: 'Ainda não tenho informações para responder.',
    offer: 'Quer falar com uma pessoa? Escreva “atendente” e eu passo a conversa.',
    handover: 'Vou passar esta conversa para uma pessoa. Alguém vai responder aqui.',
    found: (title) => `Encontrei isto sobre “${title}”:`,
  },
  es: {
    greeting: '¡Hola! Soy un asistente automático. Respondo con la información que me ha dado este equipo.',
    welcome: 'De nada.',
    nothingFound: 'No encontré una respuesta para eso.',
    noKnowledge: 'Todavía no tengo información para responder.',
    offer: '¿Quiere hablar con una persona? Escriba «humano» y paso la conversación.',
    handover: 'Voy a pasar esta conversación a una persona. Alguien le responderá aquí.',
    found: (title) => `Encontré esto sobre «${title}»:`,
  },
};

const someone = `(?:human(?:s|o|a|os)?|(?:real|live|actual) (?:person|one|agent)|persons?|people|pessoas?|personas?|agents?|agentes?|operators?|operador(?:a|es)?|representatives?|representantes?|attendants?|atendentes?|consultor(?:a|es)?|asesor(?:a|es)?|advisors?|someone|somebody|alguem|alguien|anyone|anybody|staff|support team|(?:ajuda|atendimento|suporte|ayuda|atencion) human[oa]|human (?:help|support))`;
const filler = `(?:(?:a|an|the|any|some|your|to|with|me|us|um|uma|o|os|as|com|ao|algum|alguma|un|una|el|la|los|las|con|algun|alguna|seu|sua|su|real|live|actual|verdade|outra|otra|another|other|one of) )`;
const contact = `(?:speak(?:ing)?|talk(?:ing)?|chat(?:ting)?|connect|transfer|forward|put|hand|pass|escalate|contact|falar|fala|conversar|transferir|transfere|transfira|passar|passa|chamar|chama|chame|contactar|hablar|transferirme|comunicarme|comunicar|pasar|pasame|paseme|llamar|atender|atendido|atendida|atienda)`;
const want = `(?:want|need|get|give me|prefer|like|there|quero|queria|preciso de|preciso|prefiro|gostaria de|quiero|quisiera|necesito|prefiero|dame|deme)`;
const negation = `(?:(?:don t|dont|do not|not|never|nao|nunca|no|without|sem|sin) (?:\\w+ ){0,2})`;

// "… speak with one of your agents", "… want a person"; the second kind takes nothing in between but articles,
// or "I want to bring a person" would count.
const request = new RegExp(
  `(${negation})?\\b(?:${contact} ${filler}{0,4}|${want} ${filler}{0,2})${someone}\\b`,
  'g',
);
const help = new RegExp(
  `\\b(?:can|could|may|pode|poderia|puede|podria) ${filler}?${someone} (?:\\w+ )?(?:help|answer|call|contact|talk|ajudar|atender|responder|ligar|ayudar|llamar)\\w*`,
);
const nounOnly = new RegExp(`^(?:${filler}|please |por favor )*${someone}(?: please| por favor| pls)?$`);

/** Whether the customer asks for a person, in any of the three languages. */
export function asksForPerson(text: string): boolean {
  // Clause by clause: "No, I want a human" denies nothing.
  return clausesOf(text).some(
    (clause) =>
      nounOnly.test(clause) ||
      help.test(clause) ||
      [...clause.matchAll(request)].some((match) => match[1] === undefined),
  );
}

/**
 * The engine compiles a pattern at its first two uses: 40 ms of processor time for these. Called after the start, so
 * that the first customers do not wait for it.
 */
export function compilePatterns(): void {
  for (let use = 0; use < 2; use++) {
    asksForPerson('patterns');
    agrees('patterns');
    isGreeting('patterns');
    isThanks('patterns');
  }
}

const yes =
  /^(?:yes|yeah|yep|sure|ok|okay|please|sim|quero|claro|pode ser|por favor|si|dale|bueno|vale)(?: (?:yes|please|i would|quero|por favor|quiero|claro|sim|si))*$/;

export function agrees(text: string): boolean {
  return yes.test(wordsOf(text).join(' '));
}

/** Whether the agent's last sentence offered a person, in any language. */
export function offersPerson(text: string): boolean {
  return Object.values(phrases).some(({ offer }) => text.includes(offer));
}

const hello =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|oi|ola|bom dia|boa tarde|boa noite|e ai|hola|buenas|buenos dias|buenas tardes|buenas noches|buen dia)(?: (?:there|all|everyone|tudo bem|tudo bom|como vai|que tal|como estas|como esta|how are you|hi|hello|oi|ola|hola|bom dia|boa tarde|boa noite|buenos dias|buenas tardes|buenas noches))*$/;
const thanks =
  /^(?:ok |okay |great |perfect |perfeito |perfecto |muito |muchas |many )*(?:thanks|thank you|thx|obrigad[oa]|valeu|gracias)(?: (?:a lot|so much|very much|again|bye|muito|tchau|adios|por tudo|por todo))*$/;

const apology =
  /^(?:oh )?(?:(?:i m|i am|we are|we re)(?: so| very)? )?(?:sorry|apologies|desculpe|desculpa|perdao|lo siento|perdon|disculpe|disculpa)(?: (?:for that|about that|por isso|por eso))?$/;

const welcome =
  /^(?:you re (?:very )?welcome|you are (?:very )?welcome|my pleasure|de nada|por nada|con gusto|no hay de que)$/;

const fine =
  '(?:ok|okay|k|fine|great|perfect|cool|nice|alright|all right|got it|understood|i see|good|certo|beleza|entendi|entendido|ta bom|esta bem|tudo bem|perfeito|combinado|vale|de acuerdo|esta bien|listo|genial|perfecto|bien)';
const acknowledgement = new RegExp(`^${fine}(?: ${fine})*$`);

export const isGreeting = (text: string): boolean => hello.test(wordsOf(text).join(' '));
export const isThanks = (text: string): boolean => thanks.test(wordsOf(text).join(' '));
export const isApology = (text: string): boolean => apology.test(wordsOf(text).join(' '));
/** "Ok", or a sign without a word. As an answer to a question it agrees to something. */
export function isAcknowledgement(text: string): boolean {
  const words = wordsOf(text);
  return words.length === 0 ? text.trim() !== '' : acknowledgement.test(words.join(' '));
}
export const isWelcome = (text: string): boolean => welcome.test(wordsOf(text).join(' '));

/** The sentences that end in a question mark; the rest would only dilute the terms. */
export function questionIn(text: string): string {
  const asked = edgesOf(text)
    .split(/(?<=[.!?\n])/)
    .filter((sentence) => sentence.endsWith('?'));
  return asked.length > 0 ? asked.join(' ') : edgesOf(text);
}

/** A customer asks at the beginning or at the end; a pasted page in between would only take time. */
export function edgesOf(text: string): string {
  return text.length <= 4_000 ? text : `${text.slice(0, 2_000)}\n${text.slice(-2_000)}`;
}

function clausesOf(text: string): string[] {
  return plain(text)
    .split(/[.,;:!?\n¿¡()]+/)
    .map((clause) => wordsOf(clause).join(' '))
    .filter((clause) => clause !== '');
}
