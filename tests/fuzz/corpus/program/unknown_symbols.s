0.symbol s0 dram 0 i8 [1] input
.symbol s1 dram 0 i8 [1] input
.symbol s2 dram 0 i8 [1] input
.symbol s3 dram 0 i8 [1] input
.symbol s4 dram 0 i8 [1] input
.symbol s5 dram 0 i8 [1] input
.symbol s6 dram 0 i8 [1] input
.symbol s7 dram 0 i8 [1] input
.symbol s8 dram 0 i8 [1] input
.symbol s9 dram 0 i8 [1] input
.symbol s10 dram 0 i8 [1] input
.symbol s11 dram 0 i8 [1] input
.symbol s12 dram 0 i8 [1] input
.symbol s13 dram 0 i8 [1] input
.symbol s14 dram 0 i8 [1] input
.symbol s15 dram 0 i8 [1] input
.symbol s16 dram 0 i8 [1] input
.symbol s17 dram 0 i8 [1] input
.symbol s18 dram 0 i8 [1] input
.symbol s19 dram 0 i8 [1] input
.symbol s20 dram 0 i8 [1] input
.symbol s21 dram 0 i8 [1] input
.symbol s22 dram 0 i8 [1] input
.symbol s23 dram 0 i8 [1] input
.symbol s24 dram 0 i8 [1] input
.symbol s25 dram 0 i8 [1] input
.symbol s26 dram 0 i8 [1] input
.symbol s27 dram 0 i8 [1] input
.symbol s28 dram 0 i8 [1] input
.symbol s29 dram 0 i8 [1] input
.symbol s30 dram 0 i8 [1] input
.symbol s31 dram 0 i8 [1] input
.symbol s32 dram 0 i8 [1] input
.symbol s33 dram 0 i8 [1] input
.symbol s34 dram 0 i8 [1] input
.symbol s35 dram 0 i8 [1] input
.symbol s36 dram 0 i8 [1] input
.symbol s37 dram 0 i8 [1] input
.symbol s38 dram 0 i8 [1] input
.symbol s39 dram 0 i8 [1] input
.symbol s40 dram 0 i8 [1] input
.symbol s41 dram 0 i8 [1] input
.symbol s42 dram 0 i8 [1] input
.symbol s43 dram 0 i8 [1] input
.symbol s44 dram 0 i8 [1] input
.symbol s45 dram 0 i8 [1] input
.symbol s46 dram 0 i8 [1] input
.symbol s47 dram 0 i8 [1] input
.symbol s48 dram 0 i8 [1] input
.symbol s49 dram 0 i8 [1] input
.symbol s50 dram 0 i8 [1] input
.symbol s51 dram 0 i8 [1] input
.symbol s52 dram 0 i8 [1] input
.symbol s53 dram 0 i8 [1] input
.symbol s54 dram 0 i8 [1] input
.symbol s55 dram 0 i8 [1] input
.symbol s56 dram 0 i8 [1] input
.symbol s57 dram 0 i8 [1] input
.symbol s58 dram 0 i8 [1] input
.symbol s59 dram 0 i8 [1] input
.symbol s60 dram 0 i8 [1] input
.symbol s61 dram 0 i8 [1] input
.symbol s62 dram 0 i8 [1] input
.symbol s63 dram 0 i8 [1] input
.symbol s64 dram 0 i8 [1] input
.symbol s65 dram 0 i8 [1] input
.symbol s66 dram 0 i8 [1] input
.symbol s67 dram 0 i8 [1] input
.symbol s68 dram 0 i8 [1] input
.symbol s69 dram 0 i8 [1] input
.symbol s70 dram 0 i8 [1] input
.symbol s71 dram 0 i8 [1] input
.symbol s72 dram 0 i8 [1] input
.symbol s73 dram 0 i8 [1] input
.symbol s74 dram 0 i8 [1] input
.symbol s75 dram 0 i8 [1] input
.symbol s76 dram 0 i8 [1] input
.symbol s77 dram 0 i8 [1] input
.symbol s78 dram 0 i8 [1] input
.symbol s79 dram 0 i8 [1] input
.symbol s80 dram 0 i8 [1] input
.symbol s81 dram 0 i8 [1] input
.symbol s82 dram 0 i8 [1] input
.symbol s83 dram 0 i8 [1] input
.symbol s84 dram 0 i8 [1] input
.symbol s85 dram 0 i8 [1] input
.symbol s86 dram 0 i8 [1] input
.symbol s87 dram 0 i8 [1] input
.symbol s88 dram 0 i8 [1] input
.symbol s89 dram 0 i8 [1] input
.symbol s90 dram 0 i8 [1] input
.symbol s91 dram 0 i8 [1] input
.symbol s92 dram 0 i8 [1] input
.symbol s93 dram 0 i8 [1] input
.symbol s94 dram 0 i8 [1] input
.symbol s95 dram 0 i8 [1] input
.symbol s96 dram 0 i8 [1] input
.symbol s97 dram 0 i8 [1] input
.symbol s98 dram 0 i8 [1] input
.symbol s99 dram 0 i8 [1] input
.symbol s100 dram 0 i8 [1] input
.symbol s101 dram 0 i8 [1] input
.symbol s102 dram 0 i8 [1] input
.symbol s103 dram 0 i8 [1] input
.symbol s104 dram 0 i8 [1] input
.symbol s105 dram 0 i8 [1] input
.symbol s106 dram 0 i8 [1] input
.symbol s107 dram 0 i8 [1] input
.symbol s108 dram 0 i8 [1] input
.symbol s109 dram 0 i8 [1] input
.symbol s110 dram 0 i8 [1] input
.symbol s111 dram 0 i8 [1] input
.symbol s112 dram 0 i8 [1] input
.symbol s113 dram 0 i8 [1] input
.symbol s114 dram 0 i8 [1] input
.symbol s115 dram 0 i8 [1] input
.symbol s116 dram 0 i8 [1] input
.symbol s117 dram 0 i8 [1] input
.symbol s118 dram 0 i8 [1] input
.symbol s119 dram 0 i8 [1] input
.symbol s120 dram 0 i8 [1] input
.symbol s121 dram 0 i8 [1] input
.symbol s122 dram 0 i8 [1] input
.symbol s123 dram 0 i8 [1] input
.symbol s124 dram 0 i8 [1] input
.symbol s125 dram 0 i8 [1] input
.symbol s126 dram 0 i8 [1] input
.symbol s127 dram 0 i8 [1] input
.symbol s128 dram 0 i8 [1] input
.symbol s129 dram 0 i8 [1] input
.symbol s130 dram 0 i8 [1] input
.symbol s131 dram 0 i8 [1] input
.symbol s132 dram 0 i8 [1] input
.symbol s133 dram 0 i8 [1] input
.symbol s134 dram 0 i8 [1] input
.symbol s135 dram 0 i8 [1] input
.symbol s136 dram 0 i8 [1] input
.symbol s137 dram 0 i8 [1] input
.symbol s138 dram 0 i8 [1] input
.symbol s139 dram 0 i8 [1] input
.symbol s140 dram 0 i8 [1] input
.symbol s141 dram 0 i8 [1] input
.symbol s142 dram 0 i8 [1] input
.symbol s143 dram 0 i8 [1] input
.symbol s144 dram 0 i8 [1] input
.symbol s145 dram 0 i8 [1] input
.symbol s146 dram 0 i8 [1] input
.symbol s147 dram 0 i8 [1] input
.symbol s148 dram 0 i8 [1] input
.symbol s149 dram 0 i8 [1] input
.symbol s150 dram 0 i8 [1] input
.symbol s151 dram 0 i8 [1] input
.symbol s152 dram 0 i8 [1] input
.symbol s153 dram 0 i8 [1] input
.symbol s154 dram 0 i8 [1] input
.symbol s155 dram 0 i8 [1] input
.symbol s156 dram 0 i8 [1] input
.symbol s157 dram 0 i8 [1] input
.symbol s158 dram 0 i8 [1] input
.symbol s159 dram 0 i8 [1] input
.symbol s160 dram 0 i8 [1] input
.symbol s161 dram 0 i8 [1] input
.symbol s162 dram 0 i8 [1] input
.symbol s163 dram 0 i8 [1] input
.symbol s164 dram 0 i8 [1] input
.symbol s165 dram 0 i8 [1] input
.symbol s166 dram 0 i8 [1] input
.symbol s167 dram 0 i8 [1] input
.symbol s168 dram 0 i8 [1] input
.symbol s169 dram 0 i8 [1] input
.symbol s170 dram 0 i8 [1] input
.symbol s171 dram 0 i8 [1] input
.symbol s172 dram 0 i8 [1] input
.symbol s173 dram 0 i8 [1] input
.symbol s174 dram 0 i8 [1] input
.symbol s175 dram 0 i8 [1] input
.symbol s176 dram 0 i8 [1] input
.symbol s177 dram 0 i8 [1] input
.symbol s178 dram 0 i8 [1] input
.symbol s179 dram 0 i8 [1] input
.symbol s180 dram 0 i8 [1] input
.symbol s181 dram 0 i8 [1] input
.symbol s182 dram 0 i8 [1] input
.symbol s183 dram 0 i8 [1] input
.symbol s184 dram 0 i8 [1] input
.symbol s185 dram 0 i8 [1] input
.symbol s186 dram 0 i8 [1] input
.symbol s187 dram 0 i8 [1] input
.symbol s188 dram 0 i8 [1] input
.symbol s189 dram 0 i8 [1] input
.symbol s190 dram 0 i8 [1] input
.symbol s191 dram 0 i8 [1] input
.symbol s192 dram 0 i8 [1] input
.symbol s193 dram 0 i8 [1] input
.symbol s194 dram 0 i8 [1] input
.symbol s195 dram 0 i8 [1] input
.symbol s196 dram 0 i8 [1] input
.symbol s197 dram 0 i8 [1] input
.symbol s198 dram 0 i8 [1] input
.symbol s199 dram 0 i8 [1] input
.symbol s200 dram 0 i8 [1] input
.symbol s201 dram 0 i8 [1] input
.symbol s202 dram 0 i8 [1] input
.symbol s203 dram 0 i8 [1] input
.symbol s204 dram 0 i8 [1] input
.symbol s205 dram 0 i8 [1] input
.symbol s206 dram 0 i8 [1] input
.symbol s207 dram 0 i8 [1] input
.symbol s208 dram 0 i8 [1] input
.symbol s209 dram 0 i8 [1] input
.symbol s210 dram 0 i8 [1] input
.symbol s211 dram 0 i8 [1] input
.symbol s212 dram 0 i8 [1] input
.symbol s213 dram 0 i8 [1] input
.symbol s214 dram 0 i8 [1] input
.symbol s215 dram 0 i8 [1] input
.symbol s216 dram 0 i8 [1] input
.symbol s217 dram 0 i8 [1] input
.symbol s218 dram 0 i8 [1] input
.symbol s219 dram 0 i8 [1] input
.symbol s220 dram 0 i8 [1] input
.symbol s221 dram 0 i8 [1] input
.symbol s222 dram 0 i8 [1] input
.symbol s223 dram 0 i8 [1] input
.symbol s224 dram 0 i8 [1] input
.symbol s225 dram 0 i8 [1] input
.symbol s226 dram 0 i8 [1] input
.symbol s227 dram 0 i8 [1] input
.symbol s228 dram 0 i8 [1] input
.symbol s229 dram 0 i8 [1] input
.symbol s230 dram 0 i8 [1] input
.symbol s231 dram 0 i8 [1] input
.symbol s232 dram 0 i8 [1] input
.symbol s233 dram 0 i8 [1] input
.symbol s234 dram 0 i8 [1] input
.symbol s235 dram 0 i8 [1] input
.symbol s236 dram 0 i8 [1] input
.symbol s237 dram 0 i8 [1] input
.symbol s238 dram 0 i8 [1] input
.symbol s239 dram 0 i8 [1] input
.symbol s240 dram 0 i8 [1] input
.symbol s241 dram 0 i8 [1] input
.symbol s242 dram 0 i8 [1] input
.symbol s243 dram 0 i8 [1] input
.symbol s244 dram 0 i8 [1] input
.symbol s245 dram 0 i8 [1] input
.symbol s246 dram 0 i8 [1] input
.symbol s247 dram 0 i8 [1] input
.symbol s248 dram 0 i8 [1] input
.symbol s249 dram 0 i8 [1] input
.symbol s250 dram 0 i8 [1] input
.symbol s251 dram 0 i8 [1] input
.symbol s252 dram 0 i8 [1] input
.symbol s253 dram 0 i8 [1] input
.symbol s254 dram 0 i8 [1] input
.symbol s255 dram 0 i8 [1] input
.symbol s256 dram 0 i8 [1] input
.symbol s257 dram 0 i8 [1] input
.symbol s258 dram 0 i8 [1] input
.symbol s259 dram 0 i8 [1] input
.symbol s260 dram 0 i8 [1] input
.symbol s261 dram 0 i8 [1] input
.symbol s262 dram 0 i8 [1] input
.symbol s263 dram 0 i8 [1] input
.symbol s264 dram 0 i8 [1] input
.symbol s265 dram 0 i8 [1] input
.symbol s266 dram 0 i8 [1] input
.symbol s267 dram 0 i8 [1] input
.symbol s268 dram 0 i8 [1] input
.symbol s269 dram 0 i8 [1] input
.symbol s270 dram 0 i8 [1] input
.symbol s271 dram 0 i8 [1] input
.symbol s272 dram 0 i8 [1] input
.symbol s273 dram 0 i8 [1] input
.symbol s274 dram 0 i8 [1] input
.symbol s275 dram 0 i8 [1] input
.symbol s276 dram 0 i8 [1] input
.symbol s277 dram 0 i8 [1] input
.symbol s278 dram 0 i8 [1] input
.symbol s279 dram 0 i8 [1] input
.symbol s280 dram 0 i8 [1] input
.symbol s281 dram 0 i8 [1] input
.symbol s282 dram 0 i8 [1] input
.symbol s283 dram 0 i8 [1] input
.symbol s284 dram 0 i8 [1] input
.symbol s285 dram 0 i8 [1] input
.symbol s286 dram 0 i8 [1] input
.symbol s287 dram 0 i8 [1] input
.symbol s288 dram 0 i8 [1] input
.symbol s289 dram 0 i8 [1] input
.symbol s290 dram 0 i8 [1] input
.symbol s291 dram 0 i8 [1] input
.symbol s292 dram 0 i8 [1] input
.symbol s293 dram 0 i8 [1] input
.symbol s294 dram 0 i8 [1] input
.symbol s295 dram 0 i8 [1] input
.symbol s296 dram 0 i8 [1] input
.symbol s297 dram 0 i8 [1] input
.symbol s298 dram 0 i8 [1] input
.symbol s299 dram 0 i8 [1] input
mvin src=@t0
mvin src=@t1
mvin src=@t2
mvin src=@t3
mvin src=@t4
mvin src=@t5
mvin src=@t6
mvin src=@t7
mvin src=@t8
mvin src=@t9
mvin src=@t10
mvin src=@t11
mvin src=@t12
mvin src=@t13
mvin src=@t14
mvin src=@t15
mvin src=@t16
mvin src=@t17
mvin src=@t18
mvin src=@t19
mvin src=@t20
mvin src=@t21
mvin src=@t22
mvin src=@t23
mvin src=@t24
mvin src=@t25
mvin src=@t26
mvin src=@t27
mvin src=@t28
mvin src=@t29
mvin src=@t30
mvin src=@t31
mvin src=@t32
mvin src=@t33
mvin src=@t34
mvin src=@t35
mvin src=@t36
mvin src=@t37
mvin src=@t38
mvin src=@t39
mvin src=@t40
mvin src=@t41
mvin src=@t42
mvin src=@t43
mvin src=@t44
mvin src=@t45
mvin src=@t46
mvin src=@t47
mvin src=@t48
mvin src=@t49
mvin src=@t50
mvin src=@t51
mvin src=@t52
mvin src=@t53
mvin src=@t54
mvin src=@t55
mvin src=@t56
mvin src=@t57
mvin src=@t58
mvin src=@t59
mvin src=@t60
mvin src=@t61
mvin src=@t62
mvin src=@t63
mvin src=@t64
mvin src=@t65
mvin src=@t66
mvin src=@t67
mvin src=@t68
mvin src=@t69
mvin src=@t70
mvin src=@t71
mvin src=@t72
mvin src=@t73
mvin src=@t74
mvin src=@t75
mvin src=@t76
mvin src=@t77
mvin src=@t78
mvin src=@t79
mvin src=@t80
mvin src=@t81
mvin src=@t82
mvin src=@t83
mvin src=@t84
mvin src=@t85
mvin src=@t86
mvin src=@t87
mvin src=@t88
mvin src=@t89
mvin src=@t90
mvin src=@t91
mvin src=@t92
mvin src=@t93
mvin src=@t94
mvin src=@t95
mvin src=@t96
mvin src=@t97
mvin src=@t98
mvin src=@t99
mvin src=@t100
mvin src=@t101
mvin src=@t102
mvin src=@t103
mvin src=@t104
mvin src=@t105
mvin src=@t106
mvin src=@t107
mvin src=@t108
mvin src=@t109
mvin src=@t110
mvin src=@t111
mvin src=@t112
mvin src=@t113
mvin src=@t114
mvin src=@t115
mvin src=@t116
mvin src=@t117
mvin src=@t118
mvin src=@t119
mvin src=@t120
mvin src=@t121
mvin src=@t122
mvin src=@t123
mvin src=@t124
mvin src=@t125
mvin src=@t126
mvin src=@t127
mvin src=@t128
mvin src=@t129
mvin src=@t130
mvin src=@t131
mvin src=@t132
mvin src=@t133
mvin src=@t134
mvin src=@t135
mvin src=@t136
mvin src=@t137
mvin src=@t138
mvin src=@t139
mvin src=@t140
mvin src=@t141
mvin src=@t142
mvin src=@t143
mvin src=@t144
mvin src=@t145
mvin src=@t146
mvin src=@t147
mvin src=@t148
mvin src=@t149
mvin src=@t150
mvin src=@t151
mvin src=@t152
mvin src=@t153
mvin src=@t154
mvin src=@t155
mvin src=@t156
mvin src=@t157
mvin src=@t158
mvin src=@t159
mvin src=@t160
mvin src=@t161
mvin src=@t162
mvin src=@t163
mvin src=@t164
mvin src=@t165
mvin src=@t166
mvin src=@t167
mvin src=@t168
mvin src=@t169
mvin src=@t170
mvin src=@t171
mvin src=@t172
mvin src=@t173
mvin src=@t174
mvin src=@t175
mvin src=@t176
mvin src=@t177
mvin src=@t178
mvin src=@t179
mvin src=@t180
mvin src=@t181
mvin src=@t182
mvin src=@t183
mvin src=@t184
mvin src=@t185
mvin src=@t186
mvin src=@t187
mvin src=@t188
mvin src=@t189
mvin src=@t190
mvin src=@t191
mvin src=@t192
mvin src=@t193
mvin src=@t194
mvin src=@t195
mvin src=@t196
mvin src=@t197
mvin src=@t198
mvin src=@t199
mvin src=@t200
mvin src=@t201
mvin src=@t202
mvin src=@t203
mvin src=@t204
mvin src=@t205
mvin src=@t206
mvin src=@t207
mvin src=@t208
mvin src=@t209
mvin src=@t210
mvin src=@t211
mvin src=@t212
mvin src=@t213
mvin src=@t214
mvin src=@t215
mvin src=@t216
mvin src=@t217
mvin src=@t218
mvin src=@t219
mvin src=@t220
mvin src=@t221
mvin src=@t222
mvin src=@t223
mvin src=@t224
mvin src=@t225
mvin src=@t226
mvin src=@t227
mvin src=@t228
mvin src=@t229
mvin src=@t230
mvin src=@t231
mvin src=@t232
mvin src=@t233
mvin src=@t234
mvin src=@t235
mvin src=@t236
mvin src=@t237
mvin src=@t238
mvin src=@t239
mvin src=@t240
mvin src=@t241
mvin src=@t242
mvin src=@t243
mvin src=@t244
mvin src=@t245
mvin src=@t246
mvin src=@t247
mvin src=@t248
mvin src=@t249
mvin src=@t250
mvin src=@t251
mvin src=@t252
mvin src=@t253
mvin src=@t254
mvin src=@t255
mvin src=@t256
mvin src=@t257
mvin src=@t258
mvin src=@t259
mvin src=@t260
mvin src=@t261
mvin src=@t262
mvin src=@t263
mvin src=@t264
mvin src=@t265
mvin src=@t266
mvin src=@t267
mvin src=@t268
mvin src=@t269
mvin src=@t270
mvin src=@t271
mvin src=@t272
mvin src=@t273
mvin src=@t274
mvin src=@t275
mvin src=@t276
mvin src=@t277
mvin src=@t278
mvin src=@t279
mvin src=@t280
mvin src=@t281
mvin src=@t282
mvin src=@t283
mvin src=@t284
mvin src=@t285
mvin src=@t286
mvin src=@t287
mvin src=@t288
mvin src=@t289
mvin src=@t290
mvin src=@t291
mvin src=@t292
mvin src=@t293
mvin src=@t294
mvin src=@t295
mvin src=@t296
mvin src=@t297
mvin src=@t298
mvin src=@t299
