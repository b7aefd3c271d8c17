/**
 * Support tickets in English, German and Spanish: whole sentences of few, often repeated words, so that most words are
 * in thousands of records and texts are long.
 */
import { generatedCorpus } from './generated.ts';
import type { Random } from './random.ts';

const words = (list: string): string[] => list.split(' ');

interface Language {
  subjects: string[];
  verbs: string[];
  objects: string[];
  joining: string[];
}

const languages: Language[] = [
  {
    subjects: words(
      'customer order invoice delivery account password payment parcel subscription refund device',
    ),
    verbs: words(
      'reports cancels returns confirms forgets changes requests loses renews rejects delays questions',
    ),
    objects: words(
      'address contract discount warranty signature username receipt connection replacement appointment amount router',
    ),
    joining: words(
      'because although after before when since while until and but therefore again yesterday urgently',
    ),
  },
  {
    subjects: words(
      'Kundin Bestellung Rechnung Lieferung Benutzerkonto Passwort Zahlung Paket Vertragsverlängerung Erstattung Gerät',
    ),
    verbs: words('meldet storniert bestätigt vergisst ändert verlangt verliert erneuert verzögert überprüft'),
    objects: words(
      'Anschrift Kündigungsfrist Rabatt Gewährleistung Unterschrift Quittung Internetverbindung Ersatzlieferung Termin',
    ),
    joining: words('weil obwohl nachdem bevor während bis und aber deshalb gestern dringend schließlich'),
  },
  {
    subjects: words(
      'cliente pedido factura entrega cuenta contraseña pago paquete suscripción devolución aparato',
    ),
    verbs: words('informa cancela devuelve confirma olvida cambia solicita pierde renueva rechaza retrasa'),
    objects: words(
      'dirección contrato descuento garantía firma recibo conexión reemplazo cita importe comprobante',
    ),
    joining: words('porque aunque después antes cuando mientras hasta y pero entonces ayer urgentemente'),
  },
];
const reasons = ['Delivery', 'Billing', 'Technical', 'Cancellation', 'Praise', 'Other'];

function sentence(random: Random, { subjects, verbs, objects, joining }: Language): string {
  const parts = [subjects, verbs, objects, joining].map((list) => random.pickSkewed(list));
  return parts.join(' ');
}

function text(random: Random, language: Language, shortest: number, longest: number): string {
  return Array.from({ length: random.between(shortest, longest) }, () => sentence(random, language)).join(
    ', ',
  );
}

export const tickets = generatedCorpus({
  fields: [
    { name: 'E-mail', type: 'email' },
    { name: 'Phone', type: 'phone' },
    { name: 'Summary', type: 'text' },
    { name: 'Solution', type: 'text' },
    { name: 'Reason', type: 'select', options: reasons },
    { name: 'Amount', type: 'currency' },
  ],
  texts: (random) => () => {
    const language = random.pickSkewed(languages);
    return {
      title: sentence(random, language),
      values: {
        'E-mail': `ticket${random.below(5_000)}@example.com`,
        Phone: `+34 6${random.digits(8)}`,
        Summary: text(random, language, 4, 12),
        Solution: text(random, language, 1, 6),
        Reason: random.pickSkewed(reasons),
        Amount: random.below(100_000) / 100,
      },
    };
  },
});
