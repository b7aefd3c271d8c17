import type { emoji as english } from '../../en/inbox/emoji.ts';
import type { Translated } from '../../translated.ts';

export const emoji: Translated<typeof english> = {
  'emoji.list': `
🙂 sonrisa, 😀 risa feliz, 😄 carcajada feliz, 😊 sonrojo cariño, 😉 guiño, 😂 lágrimas alegría risa,
🤣 rodando risa, 😍 enamorado ojos, 🥰 amor corazones, 😘 beso, 😎 genial lentes, 🤩 estrella guau,
🤗 abrazo, 🤔 pensar mmm, 🙃 de cabeza, 😇 ángel, 😅 sudor alivio, 😐 neutral, 😕 confundido, 😟 preocupado,
😢 triste llanto, 😭 llanto fuerte, 😡 enojado, 😱 grito susto, 😴 sueño dormir, 🤯 mente explota,
😷 cubrebocas enfermo, 🤒 enfermo fiebre, 🥳 fiesta celebrar, 😬 mueca, 👍 pulgar arriba sí ok,
👎 pulgar abajo no, 👌 ok perfecto, 🙏 por favor gracias rezar, 👏 aplauso palmas, 🙌 manos viva,
💪 fuerza, 👋 saludo hola adiós, 🤝 trato apretón de manos, ✌️ paz victoria, 🤞 dedos cruzados suerte,
👉 señalar derecha, 👇 señalar abajo, ☝️ señalar arriba, ❤️ corazón amor rojo, 🧡 corazón naranja,
💛 corazón amarillo, 💚 corazón verde, 💙 corazón azul, 💜 corazón morado, 🖤 corazón negro,
💔 corazón roto, ⭐ estrella, ✨ brillos nuevo, 🎉 fiesta celebrar, 🎁 regalo, 🎂 pastel cumpleaños,
🏆 trofeo victoria, 🔥 fuego caliente, 💯 cien perfecto, ✅ listo hecho sí, ❌ cruz no,
⚠️ advertencia atención, ❓ pregunta duda, ❗ exclamación importante, 💡 idea foco, ⏰ alarma hora,
⏳ esperar reloj de arena, 📅 calendario fecha, 📍 lugar ubicación mapa, 📞 teléfono llamada,
📱 celular teléfono, 📧 correo email, 📎 clip adjunto, 📄 página documento, 📦 paquete envío,
🚚 entrega camión, 🛒 carrito tienda, 🛍️ bolsas compras, 💳 tarjeta pagar, 💰 dinero, 🧾 recibo factura,
🔒 candado seguro, 🔑 llave, 🔧 reparar herramienta, ⚙️ engranaje ajustes, 🏠 casa hogar,
🏢 oficina edificio, ✈️ avión vuelo viaje, 🚗 auto coche, ☕ café, 🍕 pizza, 🍽️ restaurante comida,
🌞 sol, 🌧️ lluvia, ❄️ nieve frío, 🌱 planta crecer, 🌸 flor, 🐶 perro, 🐱 gato`,
};
