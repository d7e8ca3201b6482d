<?php
$config = [
    'admin' => ['core:AdminPassword'],
    'wiki' => [
        'saml:SP',
        'entityID' => 'https://wiki.example.org/simplesamlphp',
        'idp' => 'https://login.example.org/saml/metadata',
        'privatekey' => '/etc/simplesamlphp/wiki.key',
        'certificate' => '/etc/simplesamlphp/wiki.crt',
        // Without these, signatures are neither made nor required for all messages.
        'sign.authnrequest' => true,
        'sign.logout' => true,
        'validate.logout' => true,
        // A session is found by its name ID when a logout begins elsewhere.
        'NameIDPolicy' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        // Attributes get their short names: mail instead of urn:oid:0.9.2342.19200300.100.1.3.
        'authproc' => [50 => ['class' => 'core:AttributeMap', 'oid2name']],
    ],
];
