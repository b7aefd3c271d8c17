/** The emoji that people use in customer chats, with the words by which they are found and told. */
export const emoji = {
  'emoji.list': `
🙂 smile, 😀 grin happy, 😄 laugh happy, 😊 blush warm, 😉 wink, 😂 tears joy laugh, 🤣 rofl laugh,
😍 love eyes, 🥰 love hearts, 😘 kiss, 😎 cool sunglasses, 🤩 star wow, 🤗 hug, 🤔 think hmm, 🙃 upside down,
😇 angel, 😅 sweat relief, 😐 neutral, 😕 confused, 😟 worried, 😢 sad cry, 😭 cry loud, 😡 angry,
😱 scream shock, 😴 sleep, 🤯 mind blown, 😷 mask ill, 🤒 ill fever, 🥳 party celebrate, 😬 grimace,
👍 thumbs up yes ok, 👎 thumbs down no, 👌 ok perfect, 🙏 please thanks pray, 👏 clap applause,
🙌 hands hooray, 💪 strong, 👋 wave hello bye, 🤝 deal handshake, ✌️ peace victory,
🤞 fingers crossed luck, 👉 point right, 👇 point down, ☝️ point up, ❤️ heart love red, 🧡 heart orange,
💛 heart yellow, 💚 heart green, 💙 heart blue, 💜 heart purple, 🖤 heart black, 💔 broken heart, ⭐ star,
✨ sparkles new, 🎉 party tada celebrate, 🎁 gift present, 🎂 cake birthday, 🏆 trophy win, 🔥 fire hot,
💯 hundred perfect, ✅ check done yes, ❌ cross no, ⚠️ warning, ❓ question, ❗ exclamation important,
💡 idea bulb, ⏰ alarm time, ⏳ wait hourglass, 📅 calendar date, 📍 place pin location, 📞 phone call,
📱 mobile phone, 📧 mail email, 📎 paperclip attach, 📄 page document, 📦 package parcel,
🚚 delivery truck, 🛒 cart shop, 🛍️ shopping bags, 💳 card pay, 💰 money, 🧾 receipt invoice,
🔒 lock secure, 🔑 key, 🔧 repair wrench tool, ⚙️ gear settings, 🏠 house home, 🏢 office building,
✈️ plane flight travel, 🚗 car, ☕ coffee, 🍕 pizza, 🍽️ restaurant meal, 🌞 sun, 🌧️ rain, ❄️ snow cold,
🌱 plant grow, 🌸 flower blossom, 🐶 dog, 🐱 cat`,
} as const;
