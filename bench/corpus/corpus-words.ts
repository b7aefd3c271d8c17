// Words of the corpus by region: given names, first and second parts of family names (joined they give the long tail
// of real family names), cities, and phone number formats.

export type Region = {
  weight: number;
  given: string[];
  familyStarts: string[];
  familyEnds: string[];
  cities: string[];
  legalForms: string[];
  phone: string;
  /** Family name before the given name, without a space. */
  joined?: boolean;
};

const words = (list: string): string[] => list.split(' ');

export const REGIONS: Region[] = [
  {
    weight: 30,
    given: words(
      'Ana João Maria José Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Gabriel Rafael Juliana Márcia Fernanda Patrícia Aline Sandra Camila Letícia Bruna Jéssica Vanessa Mariana Gabriela Débora Conceição Thiago Vinícius André Sérgio Cláudia Simone Tatiane Renata Beatriz Larissa Amanda Otávio Murilo Caio Heloísa',
    ),
    familyStarts: words(
      'Silv Sant Oliv Souz Rodrig Ferr Alv Per Lim Gom Cost Rib Mart Carv Almeid Lop Soar Fernand Vieir Barb Roch Di Nascim Andrad Mor Nun Marqu Mach Mend Freit Card Ram Gonçalv Araúj Teix Cavalc Monteir Brit Azeved Figueir',
    ),
    familyEnds: words('a os eira ues eiro ares ento es alho ado inho ão ana ante el osa igo elo ura'),
    cities: [
      'São Paulo',
      'Rio de Janeiro',
      'Belo Horizonte',
      'Brasília',
      'Curitiba',
      'Florianópolis',
      'Ribeirão Preto',
      'Goiânia',
      'Belém',
      'Vitória',
    ],
    legalForms: words('Ltda S.A. ME EIRELI'),
    phone: '+55 (##) 9####-####',
  },
  {
    weight: 18,
    given: words(
      'Andrea Thomas Michael Sabine Petra Jürgen Wolfgang Stefan Ulrike Günther Jörg Katharina Anke Björn Heike Dieter Uwe Monika Brigitte Hans Friederike Matthias Lukas Lena Leonie Jonas Emma Finn Mia Käthe',
    ),
    familyStarts: words(
      'Reich Müll Schmi Schnei Fisch Web Wagn Beck Hoff Schäf Koch Bau Richt Klei Wol Schröd Neum Schwar Zimm Brau Krüg Hart Lang Wern Schmit Krau Mei Leh Köhl Herrm Kön Walt May Hub Kais Fuch Pet Lan Schol Möll',
    ),
    familyEnds: words(
      'el er mann dt der inger haus bach berg stein ner feld hof ke ig lein ler wald meyer brecht',
    ),
    cities: [
      'Berlin',
      'München',
      'Köln',
      'Frankfurt am Main',
      'Düsseldorf',
      'Nürnberg',
      'Würzburg',
      'Göttingen',
      'Lübeck',
    ],
    legalForms: ['GmbH', 'AG', 'GmbH & Co. KG', 'e.K.', 'UG'],
    phone: '+49 ### #######',
  },
  {
    weight: 16,
    given: words(
      'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Charles Karen Christopher Sarah Matthew Ashley Daniel Emily Anthony Megan Mark Hannah Steven Olivia',
    ),
    familyStarts: words(
      'Smith John William Brown Jon Garn Mill Dav Wils And Tayl Moor Jack Mart Whit Harr Thomp Cla Lew Rob Walk Hall All You King Wrigh Hill Gre Ad Bak Nel Camp Mitch Cart Phill Ev Turn Park Coll Edw',
    ),
    familyEnds: words(
      'son s ton er ley field worth man well ham ford by wood bury land more ings shaw ridge stead',
    ),
    cities: [
      'London',
      'New York',
      'Manchester',
      'Birmingham',
      'San Francisco',
      'Chicago',
      'Leeds',
      'Boston',
      'Toronto',
      'Dublin',
    ],
    legalForms: ['Ltd', 'Inc', 'LLC', 'plc', '& Sons'],
    phone: '+44 20 #### ####',
  },
  {
    weight: 10,
    given: words(
      'Léa Chloé François Hélène Jérôme Benoît Céline Amélie Stéphane Zoé Noël Maëlle Gaëtan Éloïse Thérèse Étienne Pascal Sylvie Nathalie Guillaume',
    ),
    familyStarts: words(
      'Dub Mor Laur Sim Lef Ler Rou Dav Bert Four Gir Bon Dup Lamb Font Rouss Vinc Mull Fauc Gauth Perr Morel And Garn Cheva Masson Lacr Brun Blanch',
    ),
    familyEnds: words('ois eau ent on èvre oy ux ier rand ard net ont ert aine elle et in illon ot aud'),
    cities: ['Paris', 'Lyon', 'Marseille', 'Saint-Étienne', 'Nîmes', 'Besançon', 'Orléans', 'Montréal'],
    legalForms: words('SARL SAS SA EURL'),
    phone: '+33 # ## ## ## ##',
  },
  {
    weight: 8,
    given: words(
      'Łukasz Małgorzata Paweł Agnieszka Krzysztof Katarzyna Grażyna Wojciech Elżbieta Stanisław Zofia Bartłomiej Jadwiga Michał Żaneta',
    ),
    familyStarts: words(
      'Now Kowal Wiśn Wójc Kamiń Lewan Zieliń Szymań Woźn Dąbr Kozł Jankow Mazur Krawcz Piotr Grab Pawł Michal Król Wieczor Jabł Wrób Adam Dud Niew Olsz',
    ),
    familyEnds: words('ak ski iewski ik owska ska czyk icka icz ek owicz ewska czak iec ko'),
    cities: ['Warszawa', 'Łódź', 'Kraków', 'Wrocław', 'Poznań', 'Gdańsk', 'Częstochowa'],
    legalForms: ['sp. z o.o.', 'S.A.', 'sp.j.'],
    phone: '+48 ### ### ###',
  },
  {
    weight: 8,
    given: words(
      'Александр Мария Сергей Елена Дмитрий Ольга Андрей Наталья Алексей Татьяна Юрий Фёдор Ксения Людмила Николай',
    ),
    familyStarts: words(
      'Иван Смирн Кузнец Поп Васил Петр Сокол Михайл Новик Фёдор Мороз Волк Алексе Лебед Семён Егор Павл Козл Степан Никола Орл Андре Макар Никит Захар Зайц Солов Борис Яковл Григор',
    ),
    familyEnds: words('ов ова ев ева ин ина ский енко ук ян цев кин'),
    cities: ['Москва', 'Санкт-Петербург', 'Новосибирск', 'Алматы', 'Київ', 'Одеса'],
    legalForms: words('ООО АО ИП ЗАО'),
    phone: '+7 (###) ###-##-##',
  },
  {
    weight: 4,
    given: words('太郎 花子 健 美咲 翔太 陽子 大輔 愛 拓也 恵子 直樹 由美'),
    familyStarts: words('佐 鈴 高 田 伊 渡 山 中 小 加 吉 山 松 井 木 林 清 斎 森 池 橋 石 前 藤 後'),
    familyEnds: words('藤 木 橋 中 辺 本 村 林 田 口 井 水 下 川 島 原 野 崎 上 谷 岡 沢'),
    cities: ['東京', '大阪', '名古屋', '札幌', '福岡'],
    legalForms: ['株式会社', '有限会社', '合同会社'],
    phone: '+81 3-####-####',
    joined: true,
  },
  {
    weight: 3,
    given: words('محمد أحمد فاطمة علي عائشة حسن مريم يوسف خالد ليلى عمر نور سارة إبراهيم'),
    familyStarts: words('الحس المصر الخط الأنص العل السع القح البغد الشام الهاش الرش النج العب المنص'),
    familyEnds: words('ني ري يب اري وي دي طان ادي ي مي يد ار اسي ور'),
    cities: ['القاهرة', 'الرياض', 'دبي', 'بيروت', 'عمّان'],
    legalForms: ['ش.م.م', 'شركة'],
    phone: '+20 1# #### ####',
  },
  {
    weight: 3,
    given: words('Γιώργος Μαρία Νίκος Ελένη Κώστας Κατερίνα Δημήτρης Σοφία Βασίλης Αγγελική'),
    familyStarts: words('Παπαδ Γεωργ Δημητρ Νικολ Κωνσταντ Ιωανν Βασιλ Χατζ Μακρ Οικονόμ Αντων Αθανασ'),
    familyEnds: words('όπουλος ίου άκης ίδης ης ος άδης έας ού ούλας'),
    cities: ['Αθήνα', 'Θεσσαλονίκη', 'Πάτρα', 'Ηράκλειο'],
    legalForms: ['Α.Ε.', 'Ε.Π.Ε.'],
    phone: '+30 21# ### ####',
  },
];

export const COMPANY_WORDS = words(
  'Alpha Nordic Central Global Prime Solar Green Blue Metro Inter Data Cloud Net Smart Fast Aqua Terra Urban Delta Omega Vista Nova Quantum Pixel Fusion Apex Summit Orion Atlas Titan Helio Ferro Agro Bio Eco Medi Farma Auto Moto Aero Marine Textil Grafik Print Media Studio Logistik Transport Immobilien Consulting Partners Systems Solutions Energia Elektro Mecânica Construções Alimentos Bebidas Móveis Têxtil Gráfica Seguros Imóveis',
);
export const PRODUCT_KINDS = words(
  'Pump Filter Sensor Router Valve Motor Inverter Panel Battery Compressor Printer Scanner Laptop Monitor Headset Keyboard Tablet Camera Projector Speaker Licence Subscription Support Training Installation',
);
export const MAIL_HOSTS = words(
  'gmail.com outlook.com yahoo.com.br hotmail.com web.de gmx.net orange.fr wp.pl mail.ru icloud.com uol.com.br',
);
export const NOTE_WORDS = words(
  'cliente pediu retorno called back tomorrow interested in annual plan Angebot verschickt Rückruf nächste Woche préfère un contact par courriel waiting for signature budget approved reunião marcada contract under review',
);
