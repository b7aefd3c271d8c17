export const english = {
  sales: [
    `c: Hi! Do you deliver to offices?
a: Hello {name}! Yes: we deliver beans to offices every week, from 5 kg a month on. How much coffee do you go through?
c: About {kilos} kg a month I would say
a(prices): For {kilos} kg a month our {blend} is {price} a kilo, delivery included. Shall I arrange a tasting at {company}?
c: Yes please
h: Lovely. I am passing you on to a colleague who will find a date with you.
p: Hi {name}, {operator} here. Would {day} at 10 suit you?
c: {day} at 10 is perfect
p: It is in the calendar. We will bring three coffees and a grinder. See you then!
c: 🙌`,
    `c: Which coffee would you recommend for a flat white?
a(cold-brew): For milk drinks most of our customers choose the {blend}: chocolate, hazelnut, little acidity. It stays clear through the milk.
c: And can I get a sample before I order for the whole place?
a(samples): Of course. A sample box with three times 250 g is free for cafés. Where may we send it?
c: To {company}, for {name}
a: Noted. It leaves with tomorrow's post and arrives within three days.
c: Great service, thank you`,
    `c: Hello, what are your prices for cafés?
a(prices): Hello! From 10 kg a month the {blend} is {price} a kilo, from 40 kg on it is ten per cent less. Are you opening a new place?
c: We are open, but not happy with our roaster
a: I am sorry to hear that. May I ask what is missing?
c: Always late, and nobody answers the phone
h: That should not be. I will get a person for you right away.
n: Competitor's contract ends next month. Worth a visit this week.
p: Hello {name}, this is {operator}. I will answer the phone, promised. Can I come by {company} on {day}?
c: Come after three, it is quieter
p: After three it is. I will bring the {blend} and a contract that you may cancel any month.
c: I like the sound of that`,
    `c: Do you also rent machines?
a(rent): We do: single group, double group and filter machines, with service included. The smallest begins at 89 a month.
c: What happens if it breaks?
a(rent): A technician is with you within one working day, and brings a replacement if it takes longer.
c: OK. I will talk to my partner and come back`,
    `c: hey, is the {blend} organic?
a: Yes, it is certified organic and comes from two cooperatives that we visit every year.
c: perfect. {kilos} kg for {company} please
a: With pleasure. I have noted {kilos} kg of {blend} for {company}. Is the invoice to go to the same address?
c: yes
h: Thank you! A colleague will confirm the order in a moment.
p: Confirmed, {name}: order {order}, delivery on {day}. Welcome aboard!`,
    `c: We would like to offer your coffee in our bookshop. Is there a reseller price?
a: There is, from 20 bags of 250 g a month. May I pass your details to the person who looks after shops?
c: Sure, it is {name}, {company}
h(missing): Thank you {name}, they will write to you here.
p: Hi {name}! {operator} from the roastery. I love bookshops. Could you tell me roughly how many people come by on a Saturday?
c: Around 200
p: Then I would begin with 30 bags and a small shelf, which we lend you. Offer follows today.
n: Offer sent with 25 % reseller discount. Call again on {day}.
c: Got it, looks good. I will confirm on {day}`,
    `c: Can I change our standing order from {kilos} kg to a bit less over the summer?
a: Of course. By how much, and from when to when?
c: Half, July and August
t: I am taking this one over, it concerns the contract.
p: Hi {name}, {operator} here. Half of it in July and August is noted; in September you are back at {kilos} kg. No charge for the change.
c: That was quick. Thanks!
b: `,
    `c: good morning! do you do tastings on saturdays?
a(samples): Good morning! Our tasting room is open to everyone on the first Saturday of the month, 10 to 14. No booking needed.
c: and for a group of 8?
a: For groups we set a table aside. Which Saturday do you have in mind?
c: the next one
a: I have put you down for eight people. You will be asked to pay nothing but the cake. 😉`,
  ],
  support: [
    `c: Hi, where is my order {order}?
a: Hello {name}! Order {order} left our roastery yesterday and should be with you on {day}.
c: ok, thank you
a: You are welcome. Anything else I can do?
c: no that's all 👍`,
    `c: Our grinder is jammed again and we open in an hour
a(grinder): I am sorry, that is the worst moment for it. Please switch it off, take the hopper away and look whether a stone or a bean blocks the burrs.
c: I did. It still makes a terrible noise
h: Then this needs a technician. I am calling a colleague to this chat.
p: {operator} here. I have a technician 15 minutes from you. Is somebody at {company} now?
c: Yes! I am here
p: He is on his way with a replacement grinder, just in case.
n: Third jam in two months. Offer to swap the grinder for the newer model without a charge.
c: He was here, we are grinding. You saved our morning
p: Happy to hear that. We will swap it for a newer one this week, at our cost.`,
    `c: The bag I received says {blend} but it tastes completely different
a: That should not be. Could you tell me the number that is printed under the barcode?
c: L2210-7
h(missing): Thank you. I am handing this over to quality control.
p: Hi {name}, {operator} from the roastery. You are right: a few bags of that lot were labelled wrongly. New ones are on the way, keep the others.
c: That is very fair, thank you`,
    `c: I need an invoice with our VAT number on it
a(invoices): Of course. Please send me the number and the name of the company as it should stand there.
c: {company}, the number is DE 318 220 991
a: Thank you. The corrected invoice for {order} will reach you by e-mail within the hour.
c: received!`,
    `c: How do I descale the machine?
a(descaling): Once a month: empty the tank, fill it with one litre of water and one bag of descaler, start the programme "Clean" and rinse twice. It takes 25 minutes.
c: and which descaler?
a(descaling): The one with the blue label that came with your machine. You can order more here: just say how many bags.
c: 4 please
a: Four bags are on their way to {company}. They are part of your service plan, so there is no charge.`,
    `c: Delivery did not come today
a: I am sorry {name}. Let me look: order {order} was handed to the carrier this morning and is on its way.
c: We have no coffee for tomorrow
h(missing): I understand, that cannot wait. I am asking a person to step in.
p: {operator} here. I will drive over with 5 kg myself this evening. Is 18:30 all right?
c: You are kidding. Yes!!
p: See you at half past six.
n: Carrier failed twice this month on this route. Raise it with them.
c: Thank you so much again`,
    `c: Can I talk to a human?
h: Of course. I am calling a colleague, one moment please.
p: Hello {name}, {operator} speaking. What can I do for you?
c: I was charged twice for {order}
p: I see both payments. The second goes back to you today, it takes two or three days to arrive.
c: Thank you for sorting it out so fast`,
    `c: My password for the shop does not work any more
a(password): You can set a new one with "Forgot password" on the sign-in page. The e-mail arrives within a minute.
c: I never receive the e-mail
a: Please check your spam folder. Is your address still the one at {company}?
c: ah, no, I changed it last month
h: Then I will ask a colleague to change it. For your security, a person has to do that.
p: Done, {name}. Try "Forgot password" once more with the new address.
c: works now`,
    `c: the steam wand is leaking a bit
a: Thank you for telling us. Does it leak while it is off, too?
c: yes, drop by drop
a: Then the gasket is worn. It is a matter of ten minutes for our technician, who is in your area on {day}. Shall I put you down?
c: yes please, before noon
a: You are on the list for {day} before noon.`,
  ],
};

export const heldReply = `c: Hi, we compared offers and yours is a little high
a: Thank you for telling us openly, {name}. Which part weighs most for {company}: the coffee or the machine?
c: The coffee. Is there anything you can do about the price?
n: Up to 15 per cent discount is possible if they sign this month.
a: Up to 15 per cent discount is possible if they sign this month.`;

export const cancellation = `c: Hello, I ordered {kilos} kg twice by mistake. Please cancel order {order}
a: No problem, {name}. A colleague has to agree before I cancel order {order}. I will write to you as soon as it is done.`;
