/**
 * Words that say nothing about a subject, without accents: articles, pronouns, and what customers begin and end with. A
 * search leaves them out, so a word that may be asked about ("free", "hours") does not belong here.
 */
const words: { [language: string]: string } = {
  en: `a about after again all already also always am an and another any anybody anyone anything are aren as at be because
    been before being but by can cannot cant could couldn d did didn didnt do does doesn doesnt doing don done dont each
    either else ever every everybody everyone everything few for from get gets getting give gives go goes going gonna
    gotta got had happen happens hardly has hasn have haven having he hello help her here hers hey hi him his how however
    i if ill im in instead into is isn isnt it its itself ive just kind know let like likes ll lot lots m make makes many
    may maybe me might mine more most much must my myself need needs neither never no nobody not nothing now of off often
    oh ok okay on once one only or other ought our ours out over own perhaps please quite rather re really s say says see
    seem seems shall she should shouldn since so some somebody somehow someone something sometimes soon sorry still such
    sure t tell than thank thanks that thats the their theirs them themselves then there theres these they theyre thing
    things think this those though through thus to together too toward try trying until up upon us use ve very via want
    wanted wants was wasn way we well were what whatever whats when whenever where wheres whether which while who whom
    whose why will with within without won wont would wouldn yes yet you your youre yours yourself`,
  pt: `a acho agora ah ai ainda algo alguem algum alguma algumas alguns ali alo ao aos apenas aquela aquele aqueles aquilo
    aqui as assim ate bem boa bom cada cade coisa coisas com como comigo consegue consegui consigo contra cujo da dai
    dao das de dela delas dele deles demais depois desde desse desta deste dessa devo disso disto do dos e ela elas ele
    eles em enquanto entao entre era eram essa essas esse esses esta estamos estao estar estas estava este estes estou eu
    existe faz fazem fazendo fazer fez fica ficam ficou fiz foi for foram fosse gente gostaria ha hein ia ir isso isto ja
    la lhe lhes logo mais mas me mesma mesmo meu meus mim minha minhas muita muitas muito muitos na nada nao nas nela
    nele nem nenhum nenhuma nessa nesse nesta neste ninguem no nos nossa nossas nosso nossos num numa o obrigada obrigado
    oi ola onde opa os ou outra outras outro outros para pela pelas pelo pelos per pf pfv pode podem poderia pois pq por
    porem porque posso pouco pra pras precisa preciso pro pros proprio q quais qual qualquer quando quanta quantas quanto
    quantos que quem quer queria quero sabe saber sao se seja sem sempre sendo ser sera seu seus sim sinto so sob sobre
    sou sua suas ta tal talvez tambem tanto tao tbm td te tem tendo tenho ter teu teus ti tinha tipo to toda todas todo
    todos tou tu tua tudo um uma umas uns va vai vao vamos vc vcs ver vez vezes voce voces vos vou`,
  es: `a acaso ademas ahi ahora al algo alguien algun alguna algunas alguno algunos alla alli ante antes aquel aquella
    aquellos aqui asi aun aunque bajo bien bueno buenos cada casi como con contigo contra cosa cosas cual cuales cualquier
    cuando cuanta cuantas cuanto cuantos da dan de deber debo del desde despues dice dime donde dos e el ella ellas ello
    ellos en encima entonces entre era eran eres es esa esas ese eso esos esta estaba estado estan estar estas este esto
    estos estoy existe favor fue fueron ha haber habia hace hacen hacer haciendo hago han hasta hay he hola i ir la las le
    les lo los luego mas me mi mia mio mis misma mismo mucha muchas mucho muchos muy nada nadie necesita necesito ni
    ningun ninguna ninguno no nos nosotros nuestra nuestras nuestro nuestros nunca o ojala os otra otras otro otros para
    pero poco podeis poder podria por porque pues puede pueden puedo q que queremos quien quienes quiere quiero quisiera sabe
    saber se sea segun ser si sido siempre sin sobre sois solo somos son soy su sus suya suyo tal tambien tampoco tan
    tanto te tener tengo ti tiene tienen toda todas todavia todo todos tras tu tus un una unas uno unos usted ustedes va
    vais vamos van veces vez vosotros voy vuestra vuestro xq y ya yo`,
  de: `aber ach alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da dabei
    dafur damit danach dann daran darauf das dass dazu dein deine dem den denn der des dich die dies diese diesem diesen
    dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gab geben gegen
    gehen geht gern gibt habe haben habt hallo hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren im
    immer in ins ist ja jede jedem jeden jeder jemand jetzt kann kannst kein keine keinen konnen konnte konnten machen macht
    man mehr mein meine meinem meinen meiner mich mir mit mochte muss mussen nach nein nicht nichts noch nun nur ob oder
    ohne schon sehr sein seine seit sich sie sind so soll sollte sonst uber um und uns unser unsere unter viel vom von vor
    wann war waren warum was weg weil welche welcher welches wenn wer werde werden wie wieder will wir wird wo wohl wollen
    wollte wurde zu zum zur zwar zwischen`,
  fr: `a afin ai alors apres as assez au aucun aucune aussi autre autres aux avaient avait avant avec avez avoir avons bien
    bon bonjour ca car ce ceci cela celle celui ces cet cette chaque chez chose ci comme comment d dans de deja depuis des
    donc dont du elle elles en encore entre es est et etaient etais etait ete etes etre eu eux faire fais fait faut font il
    ils j jamais je juste l la le les leur leurs lui m ma mais me meme merci mes moi moins mon n ne ni non nos notre nous on
    ont ou par parce pas peu peut peux plus pour pourquoi pourrais puis qu quand que quel quelle quelles quels quelque
    quelques qui quoi s sa sans savoir se sera ses si sinon soit sommes son sont sous suis sur t ta tant te tes toi ton
    toujours tous tout toute toutes tres trop tu un une veut veux voici voila vos votre voudrais vous y`,
};

export const functionWordLanguages: readonly string[] = Object.keys(words);

const sets = new Map(Object.entries(words).map(([language, text]) => [language, new Set(text.split(/\s+/))]));

export const isFunctionWord = (language: string, word: string): boolean =>
  sets.get(language.split('-', 1)[0]!)?.has(word) ?? false;
