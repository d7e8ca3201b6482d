import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Inicios de sesión inusuales: {count}",
  "review.title": "¿Ha sido usted?",
  "review.intro": "Estos inicios de sesión se hicieron con su contraseña y parecen inusuales.",
  "review.none_title": "Inicios de sesión inusuales",
  "review.none": "No hay inicios de sesión inusuales.",
  "review.unknown_place": "Lugar desconocido",
  "review.time": "Fecha y hora:",
  "review.program": "Aplicación:",
  "review.refused": "Se bloqueó este inicio de sesión.",
  "review.mine": "Sí, he sido yo",
  "review.how_to_confirm":
    "Para confirmar un inicio de sesión, use un dispositivo en el que ya hubiera iniciado sesión antes de todos estos inicios de sesión, o una verificación en dos pasos que hubiera configurado antes de ellos.",
  "review.doubted_title": "Se necesita una prueba anterior",
  "review.doubted_text":
    "Ha habido inicios de sesión inusuales en su cuenta. Para continuar, use un dispositivo en el que hubiera iniciado sesión antes de ellos, o una verificación en dos pasos que hubiera configurado antes. Si no dispone de ninguno, póngase en contacto con el servicio de asistencia.",
  "review.not_mine_text":
    "Si no reconoce alguno de estos inicios de sesión, proteja su cuenta: se cerrará la sesión en todos los demás dispositivos y en todas las aplicaciones, se eliminarán sus contraseñas de aplicación y se desconectarán las aplicaciones. Después, cambie su contraseña.",
  "review.not_mine": "No, proteger mi cuenta",
  "review.change_password": "Cambiar la contraseña",
  "review.check_text":
    "Si otra persona conocía su contraseña, revise también la verificación en dos pasos: quite toda aplicación de autenticación o llave de acceso que no sea suya y cree códigos de recuperación nuevos.",
  "review.check": "Revisar la verificación en dos pasos",
  "done.sign_in_confirmed": "Gracias. El inicio de sesión está confirmado.",
  "done.account_secured":
    "Se ha cerrado la sesión en todos los demás dispositivos y en todas las aplicaciones, y se han eliminado sus contraseñas de aplicación. Cambie ahora su contraseña.",
};
