import type { emoji as english } from '../../en/inbox/emoji.ts';
import type { Translated } from '../../translated.ts';

export const emoji: Translated<typeof english> = {
  'emoji.list': `
🙂 sorriso, 😀 riso feliz, 😄 risada feliz, 😊 corado carinho, 😉 piscada, 😂 lágrimas alegria risada,
🤣 rolando risada, 😍 apaixonado olhos, 🥰 amor corações, 😘 beijo, 😎 legal óculos, 🤩 estrela uau,
🤗 abraço, 🤔 pensar hmm, 🙃 de cabeça para baixo, 😇 anjo, 😅 suor alívio, 😐 neutro, 😕 confuso,
😟 preocupado, 😢 triste choro, 😭 choro forte, 😡 bravo raiva, 😱 grito susto, 😴 sono dormir,
🤯 cabeça explodindo, 😷 máscara doente, 🤒 doente febre, 🥳 festa comemorar, 😬 careta, 👍 joinha sim ok,
👎 negativo não, 👌 ok perfeito, 🙏 por favor obrigado rezar, 👏 palmas aplauso, 🙌 mãos viva, 💪 força,
👋 aceno oi tchau, 🤝 acordo aperto de mão, ✌️ paz vitória, 🤞 dedos cruzados sorte, 👉 apontar direita,
👇 apontar baixo, ☝️ apontar cima, ❤️ coração amor vermelho, 🧡 coração laranja, 💛 coração amarelo,
💚 coração verde, 💙 coração azul, 💜 coração roxo, 🖤 coração preto, 💔 coração partido, ⭐ estrela,
✨ brilho novo, 🎉 festa comemorar, 🎁 presente, 🎂 bolo aniversário, 🏆 troféu vitória, 🔥 fogo quente,
💯 cem perfeito, ✅ certo feito sim, ❌ xis não, ⚠️ aviso atenção, ❓ pergunta dúvida,
❗ exclamação importante, 💡 ideia lâmpada, ⏰ alarme hora, ⏳ esperar ampulheta, 📅 calendário data,
📍 lugar local mapa, 📞 telefone ligação, 📱 celular telefone, 📧 correio e-mail, 📎 clipe anexo,
📄 página documento, 📦 pacote encomenda, 🚚 entrega caminhão, 🛒 carrinho loja, 🛍️ sacolas compras,
💳 cartão pagar, 💰 dinheiro, 🧾 recibo nota fatura, 🔒 cadeado seguro, 🔑 chave, 🔧 conserto ferramenta,
⚙️ engrenagem configurações, 🏠 casa lar, 🏢 escritório prédio, ✈️ avião voo viagem, 🚗 carro, ☕ café,
🍕 pizza, 🍽️ restaurante refeição, 🌞 sol, 🌧️ chuva, ❄️ neve frio, 🌱 planta crescer, 🌸 flor,
🐶 cachorro, 🐱 gato`,
};
