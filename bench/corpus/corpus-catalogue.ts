/**
 * A catalogue of parts in Russian, Greek and Japanese with codes: short texts, hardly any of which occurs twice, in
 * alphabets other than Latin and without spaces between Japanese words.
 */
import { generatedCorpus } from './generated.ts';
import type { Random } from './random.ts';

const words = (list: string): string[] => list.split(' ');

interface Language {
  starts: string[];
  middles: string[];
  ends: string[];
  qualities: string[];
  space: string;
}

const languages: Language[] = [
  {
    starts: words('под над пере элек тро гид ро пнев мат компр болт гайк шест фильт насос клап реду вент'),
    middles: words('о е и ле ни ра то ва ки ста мо ре ди ля'),
    ends: words('тор ник ка тель ер ция ина ный ость ство ло ход'),
    qualities: words('стальной медный малый большой левый правый запасной усиленный морской'),
    space: ' ',
  },
  {
    starts: words('ηλεκ υδρο πνευ μηχα βαλ φιλ αντλ σωλ συνδ μετα θερμ κινη τροχ πλακ'),
    middles: words('τρο μα λο νι κο τη ρα σι δα πε λε'),
    ends: words('ας ής ος ίδα τήρας είο ισμός ωση λάκι'),
    qualities: words('χάλκινος μικρός μεγάλος αριστερός δεξιός εφεδρικός ενισχυμένος'),
    space: ' ',
  },
  {
    starts: words('電動 油圧 空気 高圧 小型 大型 防水 耐熱 標準 特殊 軽量'),
    middles: words('ポンプ モーター フィルター バルブ ボルト ナット ベルト センサー ケーブル ヒューズ'),
    ends: words('部品 本体 交換用 固定具 組立 一式 左側 右側'),
    qualities: words('鋼製 銅製 樹脂製 予備 強化'),
    space: '',
  },
];
const groups = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((letter) => `Group ${letter}`);
const letters = [...'ABCDEFGHJKLMNPQRSTUVWXYZ'];

function nameOf(random: Random): string {
  const { starts, middles, ends, qualities, space } = random.pick(languages);
  const middle = Array.from({ length: random.between(1, 3) }, () => random.pick(middles)).join('');
  return [random.pick(qualities), random.pick(starts) + middle + random.pick(ends)].join(space);
}

const code = (random: Random) =>
  `${random.pick(letters)}${random.pick(letters)}-${random.digits(5)}/${random.pick(letters)}${random.digits(2)}`;

export const catalogue = generatedCorpus({
  fields: [
    { name: 'Supplier', type: 'email' },
    { name: 'Hotline', type: 'phone' },
    { name: 'Part number', type: 'text' },
    { name: 'Serial number', type: 'text' },
    { name: 'Replaces', type: 'text' },
    { name: 'Group', type: 'select', options: groups },
    { name: 'Price', type: 'currency' },
  ],
  texts: (random) => () => ({
    title: `${nameOf(random)} ${random.digits(3)}`,
    values: {
      Supplier: `${random.digits(7)}@parts${random.below(300)}.example`,
      Hotline: `+81 ${random.digits(9)}`,
      'Part number': code(random),
      'Serial number': `${random.digits(4)}${random.pick(letters)}${random.digits(9)}`,
      Replaces: code(random),
      Group: random.pick(groups),
      Price: random.below(1_000_000) / 100,
    },
  }),
});
